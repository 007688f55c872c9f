// Updates, moving averages and smoothed losses against PyTorch in float64
// (tests/fixtures/make_sgd.py tells how they were made).

#include <fmt/format.h>
#include <gtest/gtest.h>

#include <array>
#include <nlohmann/json.hpp>

#include "base/files/file.h"
#include "fixtures/formula.h"
#include "ops/loss/cross_entropy.h"
#include "support/places.h"
#include "support/session.h"
#include "train/update/optimizer.h"
#include "train/update/update_plan.h"

namespace convoy {
namespace {

using nlohmann::json;
namespace formula = test::formula;

const json& fixture() {
  static const json all =
      json::parse(read_file(test::source_dir() / "tests/fixtures/sgd.json", Fault::bug));
  return all;
}

std::vector<float> spread(const std::string& name, size_t count, double scale = 1) {
  Random values = formula::sequence(fixture().at("seed").get<uint64_t>(), name);
  std::vector<float> made(count);
  for (float& x : made) x = static_cast<float>(scale * formula::spread(values));
  return made;
}

// One parameter of the fixture's size, updated by a plan.
class Updates {
 public:
  explicit Updates(const Settings& settings) : field_(settings) {
    Graph graph;
    Builder b(graph);
    b.param("weights", {static_cast<int64_t>(count())}, {});
    const StateLayout layout = lay_out_state(graph);
    WeightDecay decay;
    decay.describe(field_);
    optimizer_ = find_optimizer("sgd").make(field_, {1, decay});
    update_ = std::make_unique<Plan>(update_plan(*optimizer_, layout));
    average_ = std::make_unique<Plan>(average_plan(layout));
    state_.emplace(layout, static_cast<int>(optimizer_->slots().size()), true);
    state_->initialize(1);
    const std::array<const Plan*, 2> plans{update_.get(), average_.get()};
    workspace_.emplace(plans, 2);
    update_run_.emplace(*update_, *state_, *workspace_, test::pool(2));
    average_run_.emplace(*average_, *state_, *workspace_, test::pool(2));
  }

  static size_t count() { return fixture().at("elements").get<size_t>(); }
  std::span<float> weights() { return state_->params().first(count()); }
  std::span<float> averages() { return state_->average_params().first(count()); }

  // False when the update says that it was skipped.
  bool step(const std::vector<float>& gradient, float rate, float grad_scale = 1, float skip = 0) {
    std::ranges::copy(gradient, state_->grads().begin());
    const float index = 0;
    update_run_->bind("learning_rate", &rate);
    update_run_->bind("grad_scale", &grad_scale);
    update_run_->bind("step", &index);
    update_run_->bind("skip_update", &skip);
    update_run_->run();
    return update_run_->output("updated")[0] != 0;
  }
  void average(float decay) {
    average_run_->bind("ema_decay", &decay);
    average_run_->run();
  }

 private:
  Fields field_;
  std::unique_ptr<Optimizer> optimizer_;
  std::unique_ptr<Plan> update_, average_;
  std::optional<State> state_;
  std::optional<Workspace> workspace_;
  std::optional<Executor> update_run_, average_run_;
};

Settings settings_of(const json& row) {
  Settings settings;
  for (const auto& [key, value] : row.items()) {
    if (!value.is_array()) settings[dashed(key)] = {value.dump(), "fixture"};
  }
  return settings;
}

void expect_near(std::span<const float> actual, const json& expected, double tolerance) {
  ASSERT_EQ(actual.size(), expected.size());
  for (size_t i = 0; i < actual.size(); ++i) {
    EXPECT_NEAR(static_cast<double>(actual[i]), expected[i].get<double>(), tolerance) << i;
  }
}

TEST(SgdFixture, TrajectoriesAreThoseOfPyTorch) {
  // The scale is a power of two: what it does must not show.
  for (const float scale : {1.0f, 64.0f}) {
    for (const json& row : fixture().at("sgd")) {
      SCOPED_TRACE(settings_of(row).at("momentum").text + " " +
                   settings_of(row).at("weight-decay").text);
      Updates updates(settings_of(row));
      std::ranges::copy(spread("weights", Updates::count()), updates.weights().begin());
      const json& rates = fixture().at("rates");
      for (size_t k = 0; k < rates.size(); ++k) {
        std::vector<float> gradient = spread(fmt::format("gradient {}", k), Updates::count());
        for (float& g : gradient) g *= scale;
        EXPECT_TRUE(updates.step(gradient, rates[k].get<float>(), 1 / scale));
        expect_near(updates.weights(), row.at("weights")[k], 5e-7);
      }
    }
  }
}

TEST(SgdFixture, ASkippedUpdateChangesNothing) {
  const json& row = fixture().at("sgd").at(1);
  Updates plain(settings_of(row)), skipping(settings_of(row));
  for (Updates* updates : {&plain, &skipping}) {
    std::ranges::copy(spread("weights", Updates::count()), updates->weights().begin());
  }
  for (int k = 0; k < 3; ++k) {
    const std::vector<float> gradient = spread(fmt::format("gradient {}", k), Updates::count());
    plain.step(gradient, 0.1f);
    skipping.step(gradient, 0.1f);
    // Neither weights nor momentum may take anything from this.
    const std::vector<float> poison(Updates::count(), NAN);
    EXPECT_FALSE(skipping.step(poison, 0.1f, 1, 1));
  }
  EXPECT_TRUE(std::ranges::equal(plain.weights(), skipping.weights()));
}

TEST(SgdFixture, MovingAveragesAreThoseOfPyTorch) {
  for (const json& row : fixture().at("ema")) {
    Updates updates(settings_of(fixture().at("sgd").at(0)));
    bool first = true;
    for (size_t k = 0; k < row.at("values").size(); ++k) {
      const json& weights = fixture().at("sgd").at(0).at("weights").at(k);
      for (size_t i = 0; i < weights.size(); ++i) updates.weights()[i] = weights[i].get<float>();
      updates.average(first ? 0 : row.at("decay").get<float>());  // the first copies
      first = false;
      expect_near(updates.averages(), row.at("values")[k], 2e-7);
    }
  }
}

TEST(SgdFixture, SmoothedLossesAndTheirGradientsAreThoseOfPyTorch) {
  for (const json& row : fixture().at("smoothing")) {
    SCOPED_TRACE(row.at("convention").get<std::string>() + row.at("smoothing").dump());
    const auto batch = row.at("batch").get<int64_t>(), classes = row.at("classes").get<int64_t>();
    Graph graph;
    Builder b(graph);
    const Value logits = b.param("logits", {batch, classes}, {});
    const Value label = b.input("label", {{batch}, DType::s32});
    const Value scale = b.input("loss_scale", {});
    const Value loss = ops::softmax_cross_entropy(
        b, logits, label,
        {row.at("smoothing").get<float>(),
         row.at("convention") == "others" ? ops::Smoothing::others : ops::Smoothing::uniform});
    b.output("loss", loss);
    test::Session session(test::plan(std::move(graph), {{loss, 1}}, scale));
    const std::vector<float> values = spread("logits", static_cast<size_t>(batch * classes), 3);
    std::ranges::copy(values, session.param("logits").begin());
    const auto labels = row.at("labels").get<std::vector<int32_t>>();
    EXPECT_EQ(labels, formula::labels(fixture().at("seed").get<uint64_t>(), labels.size(),
                                      static_cast<int>(classes)));
    const float one = 1;
    session.bind("label", labels.data());
    session.bind("loss_scale", &one);
    session.run();
    double mean = 0;
    for (const float x : session.output("loss"))
      mean += static_cast<double>(x) / static_cast<double>(batch);
    EXPECT_NEAR(mean, row.at("loss").get<double>(), 1e-6);
    expect_near(session.grad("logits"), row.at("gradient"), 1e-7);
  }
}

}  // namespace
}  // namespace convoy
