#include "train/update/update_plan.h"

#include <algorithm>

#include "compile/compile.h"
#include "kernels/sums.h"
#include "kernels/updates.h"
#include "ops/vocabulary.h"
#include "tensor/kernel.h"
#include "train/update/chunk_numbers.h"

namespace convoy {
namespace {

Types infer_done(const Node&, std::span<const TensorType>) { return {{{}}}; }

// in: running, batch, momentum, scale, skip; attributes: the statistics to update
std::unique_ptr<Kernel> statistics_kernel(const Node& n, const KernelSite& site) {
  const auto moving = n.attrs<std::vector<StateLayout::Slot>>();
  const std::vector<In<float>> in = site.inputs<float>();
  return one_phase(std::ssize(moving), [=](int task, const KernelArgs& args) {
    if (in[4](args)[0] != 0) return;
    const StateLayout::Slot& slot = moving[static_cast<size_t>(task)];
    auto* running = const_cast<float*>(in[0](args)) + slot.offset;
    const float* batch = in[1](args) + slot.offset;
    const float momentum = in[2](args)[0], scale = in[3](args)[0];
    for (int64_t i = 0; i < slot.count; ++i) {
      running[i] += momentum * (batch[i] * scale - running[i]);
    }
  });
}

// in: current, average, decay
std::unique_ptr<Kernel> average_kernel(const Node&, const KernelSite& site) {
  const Chunks chunks{site.in[0].shape.count()};
  const auto current = site.input<float>(0), average = site.input<float>(1);
  const auto decay = site.input<float>(2);
  return one_phase(chunks.tasks(), [=](int task, const KernelArgs& args) {
    kernels::moving_average(decay(args)[0], current(args) + chunks.begin(task),
                            const_cast<float*>(average(args)) + chunks.begin(task),
                            chunks.length(task));
  });
}

// in: grads. Counts of chunks are exchanged between processes, so that all skip the same steps.
void mark_nonfinite(const UpdateChunk& chunk, const ChunkInputs& in, double* mark) {
  *mark = kernels::all_finite(in[0] + chunk.offset, chunk.count) ? 0 : 1;
}

// in: skip, marks of the chunks; attributes: how many; out: whether to skip
std::unique_ptr<Kernel> skip_kernel(const Node& n, const KernelSite& site) {
  const auto skip = site.input<float>(0);
  const auto marks = site.input<double>(1);
  const auto skips = site.output<float>(0);
  return one_phase(1, [=, count = n.attrs<int64_t>()](int, const KernelArgs& args) {
    const double* first = marks(args);
    const bool bad = std::any_of(first, first + count, [](double mark) { return mark != 0; });
    skips(args)[0] = bad || skip(args)[0] != 0 ? 1 : 0;
  });
}

const OpDef skip_def{.name = "skip_nonfinite", .infer = infer_done, .kernel = skip_kernel};
const OpDef statistics_def{
    .name = "update_statistics", .infer = infer_done, .kernel = statistics_kernel, .keeps = true};
const OpDef average_def{
    .name = "update_average", .infer = infer_done, .kernel = average_kernel, .keeps = true};

Plan finish(Graph graph) {
  CompileOptions options;
  options.vocabulary = ops::vocabulary();
  return compile(std::move(graph), options);
}

void skip_what_is_not_finite(Builder& b, UpdateInputs& in, const StateLayout& layout) {
  std::vector<UpdateChunk> chunks = update_chunks(layout, WeightDecay{.weight = 0}, Apart::yes);
  const int64_t count = std::ssize(chunks);
  if (count == 0) return;
  Values args{in.skip};
  for (const Value v :
       emit_chunk_numbers(b, in, std::move(chunks), 1, {in.grads}, mark_nonfinite)) {
    args.push_back(v);
  }
  in.skip = b.emit(skip_def, args, count);
}

}  // namespace

Plan statistics_plan(const StateLayout& layout) {
  Graph graph;
  Builder b(graph);
  const Value momentum = b.input("bn_momentum", {}), scale = b.input("stat_scale", {});
  const Value skip = b.input("skip_update", {});
  std::vector<StateLayout::Slot> moving;
  for (const StateLayout::Slot& slot : layout.stats) {
    if (slot.rate != 0) moving.push_back(slot);
  }
  if (!moving.empty()) {
    b.emit(statistics_def,
           {b.view(regions::stats, layout.stat_floats),
            b.view(regions::batch_stats, layout.stat_floats), momentum, scale, skip},
           std::move(moving));
  }
  return finish(std::move(graph));
}

Plan update_plan(const Optimizer& optimizer, const StateLayout& layout, const Clipping& clip,
                 const UpdateShares& shares, const KeptWeights& kept) {
  Graph graph;
  Builder b(graph);
  UpdateInputs in;
  in.shares = shares.all.empty() ? UpdateShares::whole(layout) : shares;
  in.lr = b.input("learning_rate", {});
  in.grad_scale = b.input("grad_scale", {});
  in.step = b.input("step", {});
  in.skip = b.input("skip_update", {});
  in.kept = kept;
  in.kept_ranges = kept.ranges(layout);
  if (kept.rounds()) in.rounding_key = b.input("rounding_key", {{}, DType::s64});
  in.params = b.view(regions::params, layout.param_floats);
  in.grads = b.view(regions::grads, layout.param_floats);
  for (size_t i = 0; i < optimizer.slots().size(); ++i) {
    const int64_t floats = std::max<int64_t>(1, in.shares.slot_floats());
    in.slots.push_back(b.view(regions::slots, floats, static_cast<int>(i)));
  }
  skip_what_is_not_finite(b, in, layout);
  clip.build(b, in, layout);
  optimizer.build(b, in, layout);
  return finish(std::move(graph));
}

Plan average_plan(const StateLayout& layout) {
  Graph graph;
  Builder b(graph);
  const Value decay = b.input("ema_decay", {});
  b.emit(average_def, {b.view(regions::params, layout.param_floats),
                       b.view(regions::average_params, layout.param_floats), decay});
  if (layout.stat_floats > 0) {
    b.emit(average_def, {b.view(regions::stats, layout.stat_floats),
                         b.view(regions::average_stats, layout.stat_floats), decay});
  }
  return finish(std::move(graph));
}

}  // namespace convoy
