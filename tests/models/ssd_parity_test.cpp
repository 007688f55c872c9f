// One training step of an SSD against PyTorch in float64: losses, outputs, every gradient and
// the running statistics. Weights, images and targets come from a formula, the truth from the files
// of tests/fixtures/ssd (make_ssd.py): each is a test. What is right: as in parity_test.cpp.

#include <fmt/core.h>
#include <gtest/gtest.h>

#include <array>
#include <cmath>
#include <utility>

#include "fixtures/formula.h"
#include "models/model.h"
#include "support/fixture.h"
#include "support/parity.h"
#include "support/session.h"
#include "tensor/isa.h"
#include "train/tasks/detection.h"
#include "train/update/update_plan.h"

namespace convoy::test {
namespace {

using Json = nlohmann::json;

constexpr double direct_value_bound = 1e-5, winograd_value_bound = 1e-4;
constexpr double direct_gradient_bound = 1e-4, winograd_gradient_bound = 1e-3;
// The means of the stem's outputs are a hundredth of their deviations.
constexpr double statistic_bound = 1e-4;

// The targets of make_ssd.py.
struct Targets {
  std::vector<int32_t> classes;
  std::vector<float> codes;

  // `boxes`: the default boxes of all images.
  Targets(uint64_t seed, size_t boxes, int count) {
    Random values = formula::sequence(seed, "box_classes");
    for (size_t i = 0; i < boxes; ++i) {
      const double u = values.uniform();
      classes.push_back(u < 1.0 / 256 ? 1 + static_cast<int32_t>(std::floor(u * 256 * (count - 1)))
                                      : 0);
    }
    Random spread = formula::sequence(seed, "box_targets");
    for (size_t i = 0; i < 4 * boxes; ++i) {
      codes.push_back(static_cast<float>(2 * formula::spread(spread)));
    }
  }
};

struct StepResult {
  std::vector<float> losses, logits, codes, grads, stats;
};

class Step {
 public:
  Step(const Json& one, Winograd winograd)
      : size_(one.at("images").get<std::vector<int64_t>>()),
        session_(gradient_plan(one, winograd)),
        statistics_(statistics_plan(layout())),
        targets_(one.at("seed"), one.at("images")[0].get<size_t>() * one.at("boxes").get<size_t>(),
                 one.at("classes")) {
    const auto seed = one.at("seed").get<uint64_t>();
    for (const auto& slot : layout().params) {
      const std::vector<int64_t> shape(slot.shape.begin(), slot.shape.end());
      auto made = formula::parameter(seed, slot.name, shape, one.at("gain"), one.at("shift"));
      if (shape.size() == 4 && !slot.name.starts_with("model.")) {
        for (float& x : made) x /= 16;
      }
      std::copy(made.begin(), made.end(), session_.param(slot.name).begin());
    }
    images_ = formula::images(seed, static_cast<size_t>(size_[0] * size_[1] * size_[2] * size_[3]));
    keys_.resize(static_cast<size_t>(size_[0]));
    session_.bind("image", images_.data());
    session_.bind("key", keys_.data());
    session_.bind("box_classes", targets_.classes.data());
    session_.bind("box_codes", targets_.codes.data());
    session_.bind("loss_scale", &whole_);
  }

  const StateLayout& layout() const { return session_.plan().state; }

  StepResult run(int threads) {
    for (const auto& slot : layout().stats) std::ranges::fill(session_.stat(slot.name), slot.start);
    session_.run(threads);
    const Workspace workspace(std::array{&std::as_const(statistics_)}, threads);
    Executor move(statistics_, session_.state(), workspace, pool(threads));
    move.bind("bn_momentum", &momentum_);
    move.bind("stat_scale", &whole_);
    move.bind("skip_update", &skip_);
    move.run();
    const auto g = session_.state().grads(), s = session_.state().stats();
    return {session_.output("loss"),
            session_.output("logits"),
            session_.output("codes"),
            {g.begin(), g.end()},
            {s.begin(), s.end()}};
  }

 private:
  Plan gradient_plan(const Json& one, Winograd winograd) const {
    const Variant& plain = find_model(one.at("model").get<std::string>()).variant;
    Variant shown = plain;
    shown.build = [&](Builder& b, const ModelInput& in) {
      const Value logits = plain.build(b, in);
      b.output("logits", logits);
      b.output("codes", b.exposed("box_codes"));
      return logits;
    };
    const Shape image{size_[1], size_[2], size_[3]};
    const DetectionTask task(shown, one.at("classes"), image);
    TaskGraph graph = task.build({.batch = size_[0], .image = image});
    graph.graph.choices.winograd = winograd;
    return plan(std::move(graph.graph), graph.losses, graph.loss_scale);
  }

  std::vector<int64_t> size_;
  Session session_;
  Plan statistics_;
  Targets targets_;
  std::vector<float> images_;
  std::vector<int64_t> keys_;
  const float whole_ = 1, skip_ = 0, momentum_ = 0.1f;
};

class SsdParity : public testing::TestWithParam<std::string> {
 protected:
  static void check(Winograd winograd, double value_bound, double gradient_bound);
};

void SsdParity::check(Winograd winograd, double value_bound, double gradient_bound) {
  const Json one = fixture("ssd/" + GetParam());
  Step step(one, winograd);
  const StepResult found = step.run(1);
  const auto losses = one.at("losses").get<std::vector<double>>();
  ASSERT_EQ(found.losses.size(), losses.size());
  for (size_t i = 0; i < losses.size(); ++i) {
    EXPECT_NEAR(static_cast<double>(found.losses[i]) / losses[i], 1, value_bound) << i;
  }
  const auto seed = one.at("seed").get<uint64_t>();
  Worst output;
  compare("logits", found.logits, one.at("logits"), seed, value_bound, 0, output);
  compare("codes", found.codes, one.at("codes"), seed, value_bound, 0, output);
  const StateLayout& layout = step.layout();
  const Worst gradient =
      compare(layout.params, found.grads, one.at("gradients"), seed, gradient_bound);
  const Worst statistic =
      compare(layout.stats, found.stats, one.at("statistics"), seed, statistic_bound);
  const std::string said = fmt::format(
      "{}, {}: worst output {:.1e} ({}), worst statistic {:.1e} ({}), worst gradient {:.1e} = "
      "{:.2f} of its bound ({}; PyTorch's own {:.1e})",
      GetParam(), name(isa_level()), output.error, output.name, statistic.error, statistic.name,
      gradient.error, gradient.share, gradient.name, gradient.torch);
  fmt::print("{}\n", said);
  RecordProperty("errors", said);

  const StepResult again = step.run(3);
  EXPECT_EQ(again.losses, found.losses);
  EXPECT_TRUE(same_bits(again.logits, found.logits));
  EXPECT_TRUE(same_bits(again.grads, found.grads));
  EXPECT_TRUE(same_bits(again.stats, found.stats));
}

TEST_P(SsdParity, AStepIsPyTorchsOnAnyNumberOfThreads) {
  check(Winograd::off, direct_value_bound, direct_gradient_bound);
}

TEST_P(SsdParity, WinogradsFiltersStayNear) {
  check(Winograd::automatic, winograd_value_bound, winograd_gradient_bound);
}

INSTANTIATE_TEST_SUITE_P(Models, SsdParity, testing::ValuesIn(fixtures_in("ssd")),
                         [](const auto& given) { return given.param; });

}  // namespace
}  // namespace convoy::test
