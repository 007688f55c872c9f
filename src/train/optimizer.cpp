#include "train/optimizer.h"

#include <algorithm>

#include "base/error.h"
#include "base/text.h"

namespace convoy {

const OptimizerDef& find_optimizer(std::string_view name) {
  std::vector<std::string> names;
  for (const OptimizerDef& def : optimizer_catalog()) {
    if (def.name == name) return def;
    names.emplace_back(def.name);
  }
  raise(Fault::usage, "unknown optimizer '{}'; there are: {}", name, join(names, ", "));
}

std::vector<UpdateChunk> update_chunks(const StateLayout& layout, bool decay_all) {
  constexpr int64_t chunk = 16384;
  std::vector<const StateLayout::Slot*> slots;
  for (const StateLayout::Slot& slot : layout.params) slots.push_back(&slot);
  std::sort(slots.begin(), slots.end(),
            [](const auto* a, const auto* b) { return a->offset < b->offset; });
  std::vector<UpdateChunk> chunks;
  for (size_t i = 0; i < slots.size(); ++i) {
    const int64_t end = i + 1 < slots.size() ? slots[i + 1]->offset : layout.param_floats;
    const bool decay = decay_all || slots[i]->decay;
    for (int64_t at = slots[i]->offset; at < end;) {
      // Small parameters of one kind share a task; the padding between them is zero and stays so.
      const bool grows =
          !chunks.empty() && chunks.back().decay == decay && chunks.back().count < chunk;
      if (!grows) chunks.push_back({at, 0, decay});
      const int64_t take = std::min(end - at, chunk - chunks.back().count);
      chunks.back().count += take;
      at += take;
    }
  }
  return chunks;
}

}  // namespace convoy
