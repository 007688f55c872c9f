#include "app/bench/measure_convs.h"

#include <algorithm>
#include <memory>

#include "base/error.h"
#include "base/random.h"
#include "base/text/text.h"
#include "compile/compile.h"
#include "engine/executor.h"
#include "ops/conv/conv_algorithm.h"
#include "ops/conv/conv_name.h"
#include "ops/conv/convolution.h"
#include "ops/vocabulary.h"

namespace convoy {
namespace {

using onednn::ConvPass;
using onednn::ConvShape;

size_t index(ConvPass pass) { return static_cast<size_t>(pass); }

// A graph of the convolution and its gradients; each pass is an output.
Graph graph_of(const ConvCase& one, ConvAlgorithm algorithm) {
  const ConvShape& s = one.shape;
  Graph graph;
  graph.replicas = one.replicas;
  graph.choices.rules = {{"*", "*", algorithm, "bench"}};
  Builder b(graph);
  const Value x = b.input("x", {{s.n, s.ic, s.ih, s.iw}, s.stored});
  const Value w = b.input("w", {{s.oc, s.ic / s.groups, s.kh, s.kw}});
  const Value y = ops::convolution(b, x, w,
                                   {.stride = s.stride_h,
                                    .padding = {s.pad_top, s.pad_left, s.pad_bottom, s.pad_right},
                                    .groups = s.groups});
  const Value d_y = b.input("d_y", {graph.type(y).shape, s.stored});
  const Node& node = graph.producer(y);
  const Values d = node.op->grad(b, node, Values{d_y});
  if (one.nodes[index(ConvPass::forward)]) b.output("y", y);
  if (one.nodes[index(ConvPass::grad_input)]) b.output("d_x", d[0]);
  if (one.nodes[index(ConvPass::grad_weights)]) b.output("d_w", d[1]);
  return graph;
}

// One plan per algorithm that some pass can use; all plans share their memory.
class Bench {
 public:
  Bench(const ConvCase& one, ThreadPool& pool, int64_t memory) {
    const ConvShape& s = one.shape;
    // Check before planning: the sizes of absurd shapes would overflow 64 bits.
    const double image = static_cast<double>(s.n) * (static_cast<double>(s.ic * s.ih * s.iw) +
                                                     static_cast<double>(s.oc * s.oh * s.ow));
    const double weights = static_cast<double>(s.oc * s.kh * s.kw) * static_cast<double>(s.ic);
    need(s, sizeof(float) * (2 * image + 4 * weights), memory);
    for (const ConvAlgorithm algorithm : ops::conv_algorithms()) {
      if (std::ranges::none_of(ops::conv_passes,
                               [&](ConvPass p) { return ops::can_compute(algorithm, s, p); }))
        continue;
      CompileOptions options;
      options.vocabulary = ops::vocabulary();
      runs_.push_back(
          {algorithm, std::make_unique<Plan>(compile(graph_of(one, algorithm), options)), nullptr});
    }
    std::vector<const Plan*> plans;
    for (const Run& run : runs_) plans.push_back(run.plan.get());
    need(s,
         static_cast<double>(Workspace::size(plans, pool.size()).bytes()) + sizeof(float) * image,
         memory);
    state_ = std::make_unique<State>(plans[0]->state, 0, false);
    workspace_ = std::make_unique<Workspace>(plans, pool.size());
    for (const NamedValue& input : plans[0]->graph.inputs) {
      fill(input.name, plans[0]->graph.type(input.value));
    }
    for (Run& run : runs_) {
      run.executor = std::make_unique<Executor>(*run.plan, *state_, *workspace_, pool);
      for (const auto& [name, values] : inputs_) run.executor->bind(name, values.data());
    }
  }

  size_t algorithms() const { return runs_.size(); }

  // Adds the time of each pass to `times`.
  void run(size_t i, std::vector<std::vector<std::vector<double>>>& times) {
    Run& run = runs_[i];
    OpSeconds watch;
    run.executor->observe(&watch);
    run.executor->run();
    run.executor->observe(nullptr);
    const std::vector<double>& seconds = watch.seconds();
    for (size_t at = 0; at < seconds.size(); ++at) {
      if (const auto call = call_at(run, at)) {
        times[index(call->pass)][static_cast<size_t>(run.algorithm)].push_back(seconds[at]);
      }
    }
  }

  template <class Body>
  void each_pass(const Body& body) const {
    for (const Run& run : runs_) {
      for (size_t at = 0; at < run.plan->ops.size(); ++at) {
        const auto call = call_at(run, at);
        if (call && ops::can_compute(run.algorithm, call->shape, call->pass)) {
          body(*call, run.algorithm, run.plan->ops[at].kernel->implementation());
        }
      }
    }
  }

 private:
  struct Run {
    ConvAlgorithm algorithm;
    std::unique_ptr<Plan> plan;
    std::unique_ptr<Executor> executor;
  };

  static std::optional<ops::ConvCall> call_at(const Run& run, size_t op) {
    return ops::conv_call(run.plan->graph, run.plan->ops[op].node);
  }

  static void need(const ConvShape& s, double bytes, int64_t memory) {
    if (bytes <= static_cast<double>(memory)) return;
    raise(Fault::no_space,
          "{} with a batch of {} needs {}, there are {}; try: a smaller --batch-size",
          ops::conv_name(s), s.n, human_bytes(bytes), human_bytes(static_cast<double>(memory)));
  }

  void fill(const std::string& name, const TensorType& type) {
    Random random(inputs_.size() + 1);
    std::vector<std::byte> values(stored_bytes(type));
    for (int64_t i = 0; i < type.shape.count(); ++i) {
      const auto v = static_cast<float>(random.uniform() - 0.5);
      if (type.dtype == DType::bf16) {
        reinterpret_cast<Bf16*>(values.data())[i] = narrowed(v);
      } else {
        reinterpret_cast<float*>(values.data())[i] = v;
      }
    }
    inputs_.emplace_back(name, std::move(values));
  }

  std::vector<Run> runs_;
  std::unique_ptr<State> state_;
  std::unique_ptr<Workspace> workspace_;
  std::vector<std::pair<std::string, std::vector<std::byte>>> inputs_;
};

double median(std::vector<double> values) {
  std::ranges::sort(values);
  const size_t n = values.size();
  return (values[(n - 1) / 2] + values[n / 2]) / 2;
}

}  // namespace

const AlgorithmTime& ConvTimes::of(ConvAlgorithm algorithm) const {
  return *std::ranges::find(times, algorithm, &AlgorithmTime::algorithm);
}

const AlgorithmTime& ConvTimes::best() const {
  return *std::ranges::min_element(times, {}, &AlgorithmTime::seconds);
}

double ConvTimes::flops() const {
  return 2.0 * static_cast<double>(shape.n * shape.oc * shape.oh * shape.ow) *
         static_cast<double>(shape.ic / shape.groups * shape.kh * shape.kw);
}

std::vector<ConvTimes> measure_conv(const ConvCase& one, ThreadPool& pool, int rounds,
                                    int64_t memory) {
  Bench bench(one, pool, memory);
  const size_t count = bench.algorithms();
  const std::vector<std::vector<std::vector<double>>> nothing(
      one.nodes.size(), std::vector<std::vector<double>>(ops::conv_algorithms().size()));
  auto seconds = nothing;
  for (size_t i = 0; i < count; ++i) bench.run(i, seconds);  // touches the memory; not counted
  seconds = nothing;
  for (int round = 0; round < rounds; ++round) {
    for (size_t i = 0; i < count; ++i) {
      bench.run((i + static_cast<size_t>(round)) % count, seconds);
    }
  }
  std::vector<ConvTimes> passes;
  bench.each_pass(
      [&](const ops::ConvCall& call, ConvAlgorithm algorithm, const std::string& implementation) {
        auto at = std::ranges::find(passes, call.pass, &ConvTimes::pass);
        if (at == passes.end()) {
          passes.push_back({call.shape, call.pass, one.nodes[index(call.pass)], {}});
          at = passes.end() - 1;
        }
        at->times.push_back({algorithm, implementation,
                             median(seconds[index(call.pass)][static_cast<size_t>(algorithm)])});
      });
  std::ranges::sort(passes, {}, &ConvTimes::pass);
  return passes;
}

}  // namespace convoy
