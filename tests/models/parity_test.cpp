// One training step of whole networks against PyTorch in float64: loss, logits, every gradient and
// the running statistics. Weights and images come from a formula, the truth from a file of
// tests/fixtures/parity: each is a test.
//
// A gradient is right when |g - g64| / max(|g64|, 1e-6 * largest |g64| of the network) is at most
// 1e-4, or four times the error of PyTorch's own float32 pass where that is more.

#include "support/parity.h"

#include <fmt/core.h>
#include <gtest/gtest.h>

#include <algorithm>
#include <array>
#include <cmath>
#include <nlohmann/json.hpp>
#include <utility>

#include "fixtures/formula.h"
#include "models/model.h"
#include "support/fixture.h"
#include "support/session.h"
#include "tensor/isa.h"
#include "train/tasks/classification.h"
#include "train/update/update_plan.h"

namespace convoy::test {
namespace {

using Json = nlohmann::json;
using Doubles = std::vector<double>;

constexpr double direct_value_bound = 1e-5,
                 winograd_value_bound = 1e-4;  // loss, logits, statistics
constexpr double direct_gradient_bound = 1e-4, winograd_gradient_bound = 1e-3;

Doubles flat(const Json& rows) {
  Doubles all;
  for (const Json& row : rows) {
    for (const Json& value : row) all.push_back(value.get<double>());
  }
  return all;
}

struct StepResult {
  double loss = 0;
  Doubles logits;
  std::vector<float> grads, stats;  // as the state holds them
};

// A fixture's network, compiled as the trainer does it but with the logits as a result.
class Step {
 public:
  Step(const Json& one, Winograd winograd, const StorageRules& storage = {})
      : session_(gradient_plan(one, winograd, storage)), statistics_(statistics_plan(layout())) {
    const auto seed = one.at("seed").get<uint64_t>();
    for (const auto& slot : layout().params) {
      const std::vector<int64_t> shape(slot.shape.begin(), slot.shape.end());
      const auto made = formula::parameter(seed, slot.name, shape, one.at("gain"), one.at("shift"));
      std::copy(made.begin(), made.end(), session_.param(slot.name).begin());
    }
    const auto size = one.at("images").get<std::vector<size_t>>();
    images_ = formula::images(seed, size[0] * size[1] * size[2] * size[3]);
    labels_ = formula::labels(seed, size[0], one.at("classes"));
    keys_.resize(size[0]);
    session_.bind("image", images_.data());
    session_.bind("label", labels_.data());
    session_.bind("key", keys_.data());
    session_.bind("loss_scale", &whole_);
  }

  const StateLayout& layout() const { return session_.plan().state; }

  // One pass forward and back, and the statistics moved from where they start.
  StepResult run(int threads) {
    for (const auto& slot : layout().stats) std::ranges::fill(session_.stat(slot.name), slot.start);
    session_.run(threads);
    const Workspace workspace(std::array{&std::as_const(statistics_)}, threads);
    Executor move(statistics_, session_.state(), workspace, pool(threads));
    move.bind("bn_momentum", &momentum_);
    move.bind("stat_scale", &whole_);
    move.bind("skip_update", &skip_);
    move.run();

    StepResult result;
    const std::vector<float> losses = session_.output("loss"), logits = session_.output("logits");
    for (const float loss : losses) result.loss += double(loss) / double(losses.size());
    result.logits.assign(logits.begin(), logits.end());
    const auto g = session_.state().grads(), s = session_.state().stats();
    result.grads.assign(g.begin(), g.end());
    result.stats.assign(s.begin(), s.end());
    return result;
  }

 private:
  static Plan gradient_plan(const Json& one, Winograd winograd, const StorageRules& storage) {
    const FoundModel found = find_model(one.at("model").get<std::string>());
    const Variant& plain = found.variant;
    const Variant shown{plain.name, [&](Builder& b, const ModelInput& in) {
                          const Value logits = plain.build(b, in);
                          b.output("logits", logits);
                          return logits;
                        }};
    const auto size = one.at("images").get<std::vector<int64_t>>();
    // Random bits are each system's own: nothing is dropped.
    ModelOptions options;
    if (one.contains("norm")) options.set("norm", one.at("norm"));
    if (one.contains("stem_channels")) {
      options.set("stem-channels", std::to_string(one.at("stem_channels").get<int>()));
    }
    if (takes(found.family, "dropout-rate")) options.set("dropout-rate", "0");
    if (takes(found.family, "block-survival-prob")) options.set("block-survival-prob", "1");
    check_options(found.family, options);
    const Classification task(shown, one.at("classes"), {}, options);
    TaskGraph graph = task.build({.batch = size[0], .image = {size[1], size[2], size[3]}});
    graph.graph.choices.winograd = winograd;
    return plan(std::move(graph.graph), graph.losses, graph.loss_scale, {}, storage);
  }

  Session session_;
  Plan statistics_;
  std::vector<float> images_;
  std::vector<int32_t> labels_;
  std::vector<int64_t> keys_;
  const float whole_ = 1, skip_ = 0, momentum_ = 0.1f;  // PyTorch's momentum
};

class Parity : public testing::TestWithParam<std::string> {
 protected:
  static void check(Winograd winograd, double value_bound, double gradient_bound);
};

void Parity::check(Winograd winograd, double value_bound, double gradient_bound) {
  const Json one = fixture("parity/" + GetParam());
  Step step(one, winograd);
  const StepResult found = step.run(1);
  const double loss = std::abs(found.loss / one.at("loss").get<double>() - 1);
  const Doubles truth = flat(one.at("logits"));
  ASSERT_EQ(found.logits.size(), truth.size());
  const double logits = distance(found.logits, truth) / norm(truth);
  EXPECT_LE(loss, value_bound);
  EXPECT_LE(logits, value_bound);
  const StateLayout& layout = step.layout();
  const Worst gradient =
      compare(layout.params, found.grads, one.at("gradients"), one.at("seed"), gradient_bound);
  const Worst statistic =
      compare(layout.stats, found.stats, one.at("statistics"), one.at("seed"), value_bound);
  const std::string said = fmt::format(
      "{}, {}: loss {:.1e}, logits {:.1e}, worst statistic {:.1e} ({}), worst gradient {:.1e} = "
      "{:.2f} of its bound ({}; PyTorch's own {:.1e})",
      GetParam(), name(isa_level()), loss, logits, statistic.error, statistic.name, gradient.error,
      gradient.share, gradient.name, gradient.torch);
  fmt::print("{}\n", said);
  RecordProperty("errors", said);

  const StepResult again = step.run(3);
  EXPECT_EQ(again.loss, found.loss);
  EXPECT_EQ(again.logits, found.logits);
  EXPECT_TRUE(same_bits(again.grads, found.grads));
  EXPECT_TRUE(same_bits(again.stats, found.stats));
}

TEST_P(Parity, AStepIsPyTorchsOnAnyNumberOfThreads) {
  check(Winograd::off, direct_value_bound, direct_gradient_bound);
}

TEST_P(Parity, WinogradsFiltersStayNear) {
  check(Winograd::automatic, winograd_value_bound, winograd_gradient_bound);
}

// Errors of a network in bf16 as multiples of those of PyTorch's bf16 autocast, both against
// float64.
struct Bf16Errors {
  double logits = 0, gradients = 0;  // the geometric mean over all gradients
  double worst = 0;
  std::string worst_name;
};

Bf16Errors bf16_errors(const std::string& network, const Json& torch) {
  const Json one = fixture("parity/" + network);
  Step step(one, Winograd::automatic, {.bf16 = true, .rules = {}});
  const StepResult found = step.run(2);
  const Doubles truth = flat(one.at("logits"));
  Bf16Errors errors;
  errors.logits = distance(found.logits, truth) / norm(truth) / torch.at("logits").get<double>();
  double largest = 0;
  for (const Json& gradient : one.at("gradients"))
    largest = std::max(largest, gradient.at("norm").get<double>());
  double sum = 0;
  int count = 0;
  for (const auto& slot : step.layout().params) {
    const Json& gradient = one.at("gradients").at(slot.name);
    // Smaller ones are rounding errors alone: of a bias before a norm.
    if (gradient.at("norm").get<double>() < 1e-6 * largest) continue;
    const auto values =
        std::span<const float>(found.grads).subspan(size_t(slot.offset), size_t(slot.count));
    const double error = formula::distance(one.at("seed"), slot.name, values,
                                           gradient.at("projections").get<Doubles>());
    const double share = error / torch.at("gradients").at(slot.name).get<double>();
    sum += std::log(share);
    ++count;
    if (share <= errors.worst) continue;
    errors.worst = share;
    errors.worst_name = slot.name;
  }
  errors.gradients = std::exp(sum / count);
  return errors;
}

// Which ReLUs jump is chance: of a single network, and still more of a single gradient.
TEST(Bf16Parity, ErrorsAreNoLargerThanThoseOfAutocast) {
  const Json networks = fixture("bf16_errors");
  double logits = 0, gradients = 0;
  int count = 0;
  for (const auto& [network, torch] : networks.items()) {
    if (network == "about") continue;
    const Bf16Errors errors = bf16_errors(network, torch);
    fmt::print("{}, {}: logits {:.2f}, gradients {:.2f}, at most {:.2f} ({}) times autocast's\n",
               network, name(isa_level()), errors.logits, errors.gradients, errors.worst,
               errors.worst_name);
    EXPECT_LE(errors.logits, 2) << network;
    EXPECT_LE(errors.gradients, 1.2) << network;
    EXPECT_LE(errors.worst, 8) << network << " " << errors.worst_name;
    logits += std::log(errors.logits);
    gradients += std::log(errors.gradients);
    ++count;
  }
  ASSERT_EQ(count, 10);
  fmt::print("mean: logits {:.2f}, gradients {:.2f}\n", std::exp(logits / count),
             std::exp(gradients / count));
  EXPECT_LE(std::exp(logits / count), 1.1);
  EXPECT_LE(std::exp(gradients / count), 1);
}

INSTANTIATE_TEST_SUITE_P(Models, Parity, testing::ValuesIn(fixtures_in("parity")),
                         [](const auto& given) { return given.param; });

}  // namespace
}  // namespace convoy::test
