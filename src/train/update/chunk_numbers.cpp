#include "train/update/chunk_numbers.h"

#include "base/error.h"
#include "ops/exchange.h"
#include "tensor/kernel.h"

namespace convoy {
namespace {

struct NumbersAttrs {
  std::vector<UpdateChunk> chunks;
  int64_t first, count;  // chunks of this process
  int width;
  ChunkBody body;
};

Types infer_numbers(const Node& n, std::span<const TensorType>) {
  const auto& a = n.attrs<NumbersAttrs>();
  return {{{std::ssize(a.chunks), a.width}, DType::f64}};
}

std::unique_ptr<Kernel> numbers_kernel(const Node& n, const KernelSite& site) {
  const NumbersAttrs a = n.attrs<NumbersAttrs>();
  const std::vector<In<float>> inputs = site.inputs<float>();
  const auto numbers = site.output<double>(0);
  return one_phase(a.count, [=](int task, const KernelArgs& args) {
    const int64_t chunk = a.first + task;
    a.body(a.chunks[static_cast<size_t>(chunk)], {args, inputs}, numbers(args) + chunk * a.width);
  });
}

const OpDef numbers_def{.name = "chunk_numbers", .infer = infer_numbers, .kernel = numbers_kernel};

// The boundaries of each rank's range of chunks.
std::vector<int64_t> cuts_of(const std::vector<UpdateChunk>& chunks, const UpdateShares& shares) {
  std::vector<int64_t> cuts{0};
  size_t chunk = 0;
  for (const Bucket& share : shares.all) {
    for (; chunk < chunks.size() && chunks[chunk].offset < share.end(); ++chunk) {
      expect(chunks[chunk].offset + chunks[chunk].count <= share.end(), "a chunk in one share");
    }
    cuts.push_back(static_cast<int64_t>(chunk));
  }
  return cuts;
}

}  // namespace

Values emit_chunk_numbers(Builder& b, const UpdateInputs& in, std::vector<UpdateChunk> chunks,
                          int width, const Values& inputs, ChunkBody body) {
  const std::vector<int64_t> cuts = cuts_of(chunks, in.shares);
  const auto mine = static_cast<size_t>(in.shares.rank);
  const Value numbers = b.emit(numbers_def, inputs,
                               NumbersAttrs{std::move(chunks), cuts[mine],
                                            cuts[mine + 1] - cuts[mine], width, std::move(body)});
  if (!in.shares.is_shared()) return {numbers};
  return {numbers, ops::exchange_rows(b, numbers, cuts)};
}

}  // namespace convoy
