// One training step of whole networks against PyTorch in float64: loss, logits, every gradient and
// the running statistics. Weights and images come from a formula, the truth from tests/fixtures.
//
// A gradient is right when |g - g64| / max(|g64|, 1e-6 * largest |g64| of the network) is at most
// 1e-4, or four times the error of PyTorch's own float32 pass where that is more.

#include <fmt/core.h>
#include <gtest/gtest.h>

#include <array>
#include <cmath>
#include <map>
#include <nlohmann/json.hpp>

#include "fixtures/formula.h"
#include "models/model.h"
#include "support/fixture.h"
#include "support/session.h"
#include "tensor/isa.h"
#include "train/classification.h"
#include "train/update_plan.h"

namespace convoy::test {
namespace {

using Json = nlohmann::json;
using Doubles = std::vector<double>;

constexpr double value_bound = 1e-5;  // loss, logits, statistics
constexpr double gradient_bound = 1e-4, times_torch = 4;

double norm(const Doubles& v) {
  double sum = 0;
  for (const double x : v) sum += x * x;
  return std::sqrt(sum);
}

double distance(const Doubles& a, const Doubles& b) {
  Doubles difference(b);
  for (size_t i = 0; i < b.size(); ++i) difference[i] -= a[i];
  return norm(difference);
}

Doubles flat(const Json& rows) {
  Doubles all;
  for (const Json& row : rows) {
    for (const Json& value : row) all.push_back(value.get<double>());
  }
  return all;
}

Doubles at_positions(std::span<const float> tensor) {
  Doubles picked;
  for (const size_t i : formula::positions(tensor.size())) {
    picked.push_back(static_cast<double>(tensor[i]));
  }
  return picked;
}

using Tensors = std::map<std::string, std::vector<float>>;

struct StepResult {
  double loss = 0;
  Doubles logits;
  Tensors grads, stats;
};

// The network as the trainer compiles it, but with the logits as a result.
Plan gradient_plan(const std::string& model, const Json& one) {
  const Variant& plain = find_model(model).variant;
  const Variant shown{plain.name, [&](Builder& b, const ModelInput& in) {
                        const Value logits = plain.build(b, in);
                        b.output("logits", logits);
                        return logits;
                      }};
  const auto size = one.at("images").get<std::vector<int64_t>>();
  const Classification task(shown, one.at("classes"), {});
  TaskGraph graph = task.build({.batch = size[0], .image = {size[1], size[2], size[3]}});
  return plan(std::move(graph.graph), graph.losses, graph.loss_scale);
}

// One pass forward and back, and the statistics moved as PyTorch's momentum 0.1 does.
StepResult step(const std::string& model, const Json& one, int threads) {
  Session session(gradient_plan(model, one));
  const StateLayout& layout = session.plan().state;
  const auto seed = one.at("seed").get<uint64_t>();
  for (const auto& slot : layout.params) {
    const std::vector<int64_t> shape(slot.shape.begin(), slot.shape.end());
    const auto made = formula::parameter(seed, slot.name, shape, one.at("gain"), one.at("shift"));
    std::copy(made.begin(), made.end(), session.param(slot.name).begin());
  }
  const auto size = one.at("images").get<std::vector<size_t>>();
  const auto images = formula::images(seed, size[0] * size[1] * size[2] * size[3]);
  const auto labels = formula::labels(seed, size[0], one.at("classes"));
  const std::vector<int64_t> keys(size[0]);
  const float whole = 1, momentum = 0.1f;
  session.bind("image", images.data());
  session.bind("label", labels.data());
  session.bind("key", keys.data());
  session.bind("loss_scale", &whole);
  session.run(threads);

  const Plan statistics = statistics_plan(layout);
  const Workspace workspace(std::array{&statistics}, threads);
  Executor move(statistics, session.state(), workspace, pool(threads));
  move.bind("bn_momentum", &momentum);
  move.bind("stat_scale", &whole);
  move.run();

  StepResult result;
  for (const float loss : session.output("loss")) result.loss += double(loss) / double(size[0]);
  for (const float logit : session.output("logits")) result.logits.push_back(double(logit));
  for (const auto& slot : layout.params) {
    const auto g = session.grad(slot.name);
    result.grads[slot.name].assign(g.begin(), g.end());
  }
  for (const auto& slot : layout.stats) {
    const auto v = session.stat(slot.name);
    result.stats[slot.name].assign(v.begin(), v.end());
  }
  return result;
}

// The tensor that used up most of what it was allowed.
struct WorstGradient {
  double share = -1, error = 0, torch = 0;
  std::string name;
};

WorstGradient compare_gradients(const StepResult& found, const Json& one) {
  const Json& truths = one.at("gradients");
  EXPECT_EQ(found.grads.size(), truths.size());
  double largest = 0;
  for (const Json& truth : truths) largest = std::max(largest, truth.at("norm").get<double>());
  WorstGradient worst;
  for (const auto& [tensor, g] : found.grads) {
    const Json& truth = truths.at(tensor);
    const double size = std::max(truth.at("norm").get<double>(), 1e-6 * largest);
    const double torch = truth.at("torch_fp32_error").get<double>() / size;
    const double bound = std::max(gradient_bound, times_torch * torch);
    const double error =
        formula::distance(one.at("seed"), tensor, g, truth.at("projections").get<Doubles>()) / size;
    EXPECT_LE(error, bound) << tensor;
    EXPECT_LE(distance(at_positions(g), truth.at("entries").get<Doubles>()), bound * size)
        << tensor;
    if (error / bound > worst.share) worst = {error / bound, error, torch, tensor};
  }
  return worst;
}

double compare_statistics(const StepResult& found, const Json& one) {
  const Json& truths = one.at("statistics");
  EXPECT_EQ(found.stats.size(), truths.size());
  double worst = 0;
  for (const auto& [tensor, values] : found.stats) {
    const Json& truth = truths.at(tensor);
    const double size = truth.at("norm");
    const double entries =
        distance(at_positions(values), truth.at("entries").get<Doubles>()) / size;
    const double whole = std::abs(norm(Doubles(values.begin(), values.end())) / size - 1);
    EXPECT_LE(std::max(entries, whole), value_bound) << tensor;
    worst = std::max({worst, entries, whole});
  }
  return worst;
}

struct Case {
  std::string model, name;
};

std::vector<Case> all_cases() {
  std::vector<Case> all;
  for (const char* model : {"cifar_resnet20", "cifar_resnet11_bottleneck"}) {
    const Json whole = fixture(model);
    for (const Json& one : whole.at("cases")) all.push_back({model, one.at("name")});
  }
  return all;
}

Json case_of(const Case& wanted) {
  const Json whole = fixture(wanted.model);
  for (const Json& one : whole.at("cases")) {
    if (one.at("name") == wanted.name) return one;
  }
  return {};
}

class Parity : public testing::TestWithParam<Case> {};

TEST_P(Parity, AStepIsPyTorchsOnAnyNumberOfThreads) {
  const Json one = case_of(GetParam());
  StepResult first;
  for (const int threads : {1, 3}) {
    const StepResult found = step(GetParam().model, one, threads);
    const double loss = std::abs(found.loss / one.at("loss").get<double>() - 1);
    const Doubles truth = flat(one.at("logits"));
    ASSERT_EQ(found.logits.size(), truth.size());
    const double logits = distance(found.logits, truth) / norm(truth);
    EXPECT_LE(loss, value_bound);
    EXPECT_LE(logits, value_bound);
    const WorstGradient gradient = compare_gradients(found, one);
    const double statistics = compare_statistics(found, one);
    if (threads == 1) {
      first = found;
    } else {
      EXPECT_EQ(found.grads, first.grads);
      EXPECT_EQ(found.stats, first.stats);
    }
    const std::string said = fmt::format(
        "{}, {}, {}, {} threads: loss {:.1e}, logits {:.1e}, statistics {:.1e}, worst gradient "
        "{:.1e} = {:.2f} of its bound ({}; PyTorch's own {:.1e})",
        GetParam().model, GetParam().name, name(isa_level()), threads, loss, logits, statistics,
        gradient.error, gradient.share, gradient.name, gradient.torch);
    fmt::print("{}\n", said);
    RecordProperty(fmt::format("errors_{}_threads", threads), said);
  }
}

INSTANTIATE_TEST_SUITE_P(Models, Parity, testing::ValuesIn(all_cases()), [](const auto& given) {
  std::string label = given.param.model + "_" + given.param.name;
  std::replace(label.begin(), label.end(), ' ', '_');
  return label;
});

}  // namespace
}  // namespace convoy::test
