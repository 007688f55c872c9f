#include "train/update/update_shares.h"

#include <cstdlib>

#include "train/update/optimizer.h"

namespace convoy {

namespace {

int64_t end_of(const std::vector<UpdateChunk>& chunks) {
  return chunks.empty() ? 0 : chunks.back().offset + chunks.back().count;
}

}  // namespace

int64_t learning_floats(const StateLayout& layout) {
  return end_of(update_chunks(layout, {}, Apart::yes));
}

UpdateShares UpdateShares::whole(const StateLayout& layout) {
  return {{{0, layout.param_floats}}, 0};
}

UpdateShares UpdateShares::split(const StateLayout& layout, int processes, int rank) {
  const std::vector<UpdateChunk> chunks = update_chunks(layout, {}, Apart::yes);
  UpdateShares shares{{}, rank};
  const int64_t all = end_of(chunks);
  int64_t begin = 0;
  size_t chunk = 0;
  for (int r = 0; r < processes; ++r) {
    const int64_t ideal = all * (r + 1) / processes;
    int64_t end = begin;
    for (; chunk < chunks.size(); ++chunk) {
      const int64_t next = chunks[chunk].offset + chunks[chunk].count;
      if (std::abs(next - ideal) > std::abs(end - ideal)) break;
      end = next;
    }
    if (r == processes - 1) end = layout.param_floats;
    shares.all.push_back({begin, end - begin});
    begin = end;
  }
  return shares;
}

}  // namespace convoy
