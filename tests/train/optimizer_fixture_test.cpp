// Twenty steps of every optimiser against its reference in float64
// (tests/fixtures/make_optimizers.py tells how they were made), on one thread and on several.

#include <fmt/format.h>
#include <gtest/gtest.h>

#include <array>
#include <nlohmann/json.hpp>
#include <set>

#include "fixtures/formula.h"
#include "support/fixture.h"
#include "support/session.h"
#include "train/update/optimizer.h"
#include "train/update/update_plan.h"

namespace convoy::test {
namespace {

using nlohmann::json;

std::vector<float> spread(const json& all, const std::string& name, size_t count) {
  Random values = formula::sequence(all.at("seed").get<uint64_t>(), name);
  std::vector<float> made(count);
  for (float& x : made) x = static_cast<float>(formula::spread(values));
  return made;
}

Settings settings_of(const json& options) {
  Settings settings;
  for (const auto& [key, value] : options.items()) {
    settings[key] = {value.is_string() ? value.get<std::string>() : value.dump(), "fixture"};
  }
  return settings;
}

// The four parameters of the fixture, one of each kind.
StateLayout layout(const json& row) {
  Graph graph;
  Builder b(graph);
  b.param("conv.weight", {4, 3}, {});
  b.param("conv.bias", {4}, {}, false);
  b.param("bn.weight", {4}, {}, false);
  b.param("bn.bias", {4}, {}, false);
  for (Param& p : graph.params) {
    p.rate = row.value("param_rates", json::object()).value(p.name, 1.0f);
  }
  return lay_out_state(graph);
}

// All parameters and buffers after the steps of the fixture; `check` after each.
template <class Check>
std::vector<float> run_case(const json& all, const json& row, int threads, Check&& check) {
  Fields field(settings_of(row.at("settings")));
  WeightDecay decay;
  decay.describe(field);
  Clipping clip;
  clip.describe(field);
  const auto optimizer =
      find_optimizer(row.at("optimizer").get<std::string>()).make(field, {1, decay});
  const StateLayout state_layout = layout(row);
  const Plan plan = update_plan(*optimizer, state_layout, clip);
  State state(state_layout, static_cast<int>(optimizer->slots().size()), false);
  const Workspace workspace(std::array{&plan}, threads);
  Executor executor(plan, state, workspace, pool(threads));
  const auto span_of = [&](std::span<float> region, const StateLayout::Slot& slot) {
    return region.subspan(static_cast<size_t>(slot.offset), static_cast<size_t>(slot.count));
  };
  for (const StateLayout::Slot& slot : state_layout.params) {
    std::ranges::copy(spread(all, slot.name, static_cast<size_t>(slot.count)),
                      span_of(state.params(), slot).begin());
  }
  constexpr float scale = 64;  // a power of two: what it does must not show
  for (int k = 0; k < 20; ++k) {
    const auto rate = all.at("rates").at(static_cast<size_t>(k) % 5).get<float>();
    const float index = static_cast<float>(k), down = 1 / scale, skip = 0;
    for (const StateLayout::Slot& slot : state_layout.params) {
      const std::vector<float> gradient =
          spread(all, fmt::format("{} {}", slot.name, k), static_cast<size_t>(slot.count));
      std::ranges::transform(gradient, span_of(state.grads(), slot).begin(),
                             [](float g) { return g * scale; });
    }
    executor.bind("learning_rate", &rate);
    executor.bind("grad_scale", &down);
    executor.bind("step", &index);
    executor.bind("skip_update", &skip);
    executor.run();
    for (const StateLayout::Slot& slot : state_layout.params) {
      check(k + 1, slot.name, span_of(state.params(), slot));
    }
  }
  std::vector<float> end(state.params().begin(), state.params().end());
  for (int i = 0; i < state.slot_count(); ++i) {
    end.insert(end.end(), state.slot(i).begin(), state.slot(i).end());
  }
  return end;
}

TEST(OptimizerFixture, TwentyStepsAreThoseOfTheReference) {
  const json all = fixture("optimizers");
  std::set<std::string> seen;
  for (const json& row : all.at("cases")) {
    SCOPED_TRACE(row.at("optimizer").get<std::string>() + " " + row.at("settings").dump());
    seen.insert(row.at("optimizer"));
    int compared = 0;
    const auto check = [&](int step, const std::string& name, std::span<const float> weights) {
      const auto kept = row.at("weights").find(std::to_string(step));
      if (kept == row.at("weights").end()) return;
      const auto expected = kept->at(name).get<std::vector<double>>();
      ASSERT_EQ(expected.size(), weights.size());
      for (size_t i = 0; i < weights.size(); ++i) {
        EXPECT_NEAR(static_cast<double>(weights[i]), expected[i],
                    1e-6 * std::max(1.0, std::abs(expected[i])))
            << name << " " << i << " after " << step;
        ++compared;
      }
    };
    const std::vector<float> one = run_case(all, row, 1, check);
    EXPECT_EQ(compared, 3 * 24);
    EXPECT_EQ(one, run_case(all, row, 3, check));
  }
  // Whoever adds an optimiser adds its reference.
  for (const OptimizerDef& def : optimizer_catalog())
    EXPECT_TRUE(seen.contains(std::string(def.name))) << def.name;
}

TEST(OptimizerFixture, WhatAnOptimizerCannotMeanIsRefused) {
  const auto refuse = [](const char* name, Settings settings, int64_t batch) {
    Fields field(std::move(settings));
    try {
      find_optimizer(name).make(field, {batch, {}});
    } catch (const Error& error) {
      EXPECT_EQ(error.fault(), Fault::usage);
      return std::string(error.what());
    }
    return std::string("taken");
  };
  EXPECT_NE(refuse("tf-rmsprop",
                   settings_of({{"rmsprop-decay", 0.9}, {"rmsprop-base-decay-exp", -14}}), 768)
                .find("one of them"),
            std::string::npos);
  EXPECT_NE(refuse("tf-rmsprop", settings_of({{"rmsprop-base-decay-exp", -2}}), 768).find("try:"),
            std::string::npos);
  EXPECT_EQ(refuse("tf-rmsprop", settings_of({{"rmsprop-base-decay-exp", -14}}), 768), "taken");
}

}  // namespace
}  // namespace convoy::test
