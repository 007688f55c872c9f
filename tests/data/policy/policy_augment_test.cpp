// What policies draw against torchvision's tables, as probabilities of every outcome.
#include "data/policy/policy_augment.h"

#include <cmath>
#include <map>
#include <nlohmann/json.hpp>

#include "data/policy/effects.h"
#include "support/fixture.h"
#include "support/raises.h"

namespace convoy::test {
namespace {

using policy::DrawnEffects;
using policy::Effect;

constexpr Shape image{3, 61, 90};
constexpr int draws = 60000;

// Effects and amounts, in order.
using Outcome = std::vector<std::pair<Effect, double>>;
using Chances = std::map<Outcome, double>;

std::unique_ptr<Augment> made(std::string_view name, const AugmentOptions& options = {},
                              const Shape& shape = image) {
  for (const AugmentDef& def : augment_catalog()) {
    if (def.name == name) return def.make(options, shape);
  }
  ADD_FAILURE() << "no augmentation " << name;
  return nullptr;
}

std::vector<DrawnEffects> drawn_by(std::string_view name, const AugmentOptions& options = {}) {
  const auto augment = made(name, options);
  const auto* policy = dynamic_cast<const policy::PolicyAugment*>(augment.get());
  std::vector<DrawnEffects> all;
  for (uint64_t key = 0; key < draws; ++key) {
    all.push_back(policy->draw(Random(random_key(key, Purpose::augment))));
  }
  return all;
}

// Each outcome is as frequent as it should be, within five deviations; no other comes about.
void expect_chances(std::string_view name, const Chances& chances,
                    const std::vector<DrawnEffects>& all) {
  std::map<Outcome, int> counts;
  for (const DrawnEffects& drawn : all) {
    Outcome outcome;
    for (size_t i = 0; i < drawn.count; ++i) {
      outcome.emplace_back(drawn.steps[i].effect, drawn.steps[i].amount);
    }
    ASSERT_TRUE(chances.contains(outcome)) << name << " drew what it should not";
    ++counts[outcome];
  }
  double sum = 0;
  for (const auto& [outcome, chance] : chances) {
    sum += chance;
    EXPECT_NEAR(counts[outcome], draws * chance, 5 * std::sqrt(draws * chance) + 1)
        << name << ", first effect " << (outcome.empty() ? -1 : static_cast<int>(outcome[0].first));
  }
  EXPECT_NEAR(sum, 1, 1e-9);
}

// Of the fixture: the amounts an effect may have, its sign included.
struct PeerSpace {
  explicit PeerSpace(const std::string& policy) {
    const nlohmann::json peer = fixture("policies");
    for (const auto& row : peer.at("spaces")) {
      const bool fits = row.at("size")[0] == image[1] && row.at("size")[1] == image[2];
      if (row.at("policy") == policy && fits) effects = row.at("effects");
    }
    EXPECT_GE(effects.size(), 14u);
  }

  std::vector<double> amounts(const std::string& name, int bin) const {
    const auto& about = effects.at(name);
    const auto values = about.at("values").get<std::vector<double>>();
    const double value = values.size() == 1 ? values[0] : values.at(static_cast<size_t>(bin));
    const Effect effect = effect_by_name(name);
    const bool is_factor = effect >= Effect::brightness && effect <= Effect::sharpness;
    if (!about.at("signed").get<bool>()) return {value};
    return is_factor ? std::vector{1.0 + value, 1.0 - value} : std::vector{value, -value};
  }

  nlohmann::json effects;
};

// Every way that a chain of effects can go on.
Chances with(const Chances& before, const std::string& name, const std::vector<double>& amounts,
             double chance) {
  Chances after;
  for (const auto& [outcome, p] : before) {
    for (const double amount : amounts) {
      Outcome longer = outcome;
      longer.emplace_back(effect_by_name(name), amount);
      after[longer] += p * chance / static_cast<double>(amounts.size());
    }
  }
  return after;
}

void add(Chances& to, const Chances& from, double factor = 1) {
  for (const auto& [outcome, p] : from) to[outcome] += p * factor;
}

TEST(Policies, AutoAugmentDrawsFromTorchvisionsTables) {
  const nlohmann::json peer = fixture("policies");
  const PeerSpace space("auto");
  for (const auto& [name, rows] : peer.at("tables").items()) {
    ASSERT_EQ(rows.size(), 25u);
    Chances chances;
    for (const auto& row : rows) {
      Chances way{{{}, 1.0 / 25}};
      for (const auto& each : row) {
        const std::string effect = each[0];
        const double p = each[1];
        Chances next;
        if (p > 0) add(next, with(way, effect, space.amounts(effect, each[2]), p));
        if (p < 1) add(next, way, 1 - p);
        way = next;
      }
      add(chances, way);
    }
    expect_chances(name, chances, drawn_by("auto-augment-" + name));
  }
}

TEST(Policies, RandAugmentDrawsTwoEffectsOfOneMagnitude) {
  const PeerSpace space("rand");
  const auto n = static_cast<double>(space.effects.size());
  for (const int magnitude : {0, 9, 30}) {
    Chances chances{{{}, 1}};
    for (int i = 0; i < 2; ++i) {
      Chances next;
      for (const auto& [name, about] : space.effects.items()) {
        add(next, with(chances, name, space.amounts(name, magnitude), 1 / n));
      }
      chances = next;
    }
    expect_chances(
        "rand-augment", chances,
        drawn_by("rand-augment", {.own = {{"ra-magnitude", std::to_string(magnitude)}}}));
  }
}

TEST(Policies, TrivialAugmentWideDrawsOneEffectOfAnyMagnitude) {
  const PeerSpace space("trivial");
  const auto n = static_cast<double>(space.effects.size());
  Chances chances;
  for (const auto& [name, about] : space.effects.items()) {
    for (int bin = 0; bin < 31; ++bin) {
      add(chances, with({{{}, 1}}, name, space.amounts(name, bin), 1 / n / 31));
    }
  }
  expect_chances("trivial-augment-wide", chances, drawn_by("trivial-augment-wide"));
}

AugmentOptions jitter(const std::string& strengths) {
  return {.own = {{"color-jitter", strengths}}};
}

TEST(Policies, ColorJitterDrawsFactorsInEveryOrder) {
  const std::vector<double> strength{0.4, 1.5, 0.2, 0.1};
  const std::vector<Effect> effects{Effect::brightness, Effect::contrast, Effect::colour,
                                    Effect::hue};
  std::map<std::vector<Effect>, int> orders;
  std::map<Effect, std::vector<double>> amounts;
  for (const DrawnEffects& drawn : drawn_by("color-jitter", jitter("0.4,1.5,0.2,0.1"))) {
    ASSERT_EQ(drawn.count, 4u);
    std::vector<Effect> order;
    for (const policy::EffectStep& step : drawn.steps) {
      order.push_back(step.effect);
      amounts[step.effect].push_back(step.amount);
    }
    ++orders[order];
  }
  EXPECT_EQ(orders.size(), 24u);
  for (const auto& [order, count] : orders) EXPECT_NEAR(count, draws / 24, 250);
  for (size_t i = 0; i < effects.size(); ++i) {
    std::vector<double>& seen = amounts[effects[i]];
    std::sort(seen.begin(), seen.end());
    const bool is_hue = effects[i] == Effect::hue;
    const double low = is_hue ? -strength[i] : std::max(0.0, 1 - strength[i]);
    const double high = (is_hue ? 0 : 1) + strength[i], width = high - low;
    EXPECT_GE(seen.front(), low);
    EXPECT_LT(seen.back(), high);
    for (const double quantile : {0.001, 0.25, 0.5, 0.75, 0.999}) {
      EXPECT_NEAR(seen[static_cast<size_t>(quantile * draws)], low + quantile * width,
                  0.012 * width);
    }
  }
  // What has no strength is left alone.
  for (const DrawnEffects& drawn : drawn_by("color-jitter", jitter("0,0.5"))) {
    ASSERT_EQ(drawn.count, 1u);
    ASSERT_EQ(drawn.steps[0].effect, Effect::contrast);
  }
}

TEST(Policies, RefuseWhatTheyCannotDo) {
  const AugmentOptions able{.own = {{"color-jitter", "0.1"}, {"random-erase", "0.5"}}};
  for (const AugmentDef& def : augment_catalog()) {
    if (def.policy.empty() && def.name != "color-jitter") continue;
    EXPECT_NE(made(def.name, able, {1, 28, 28}), nullptr);
    expect_raises(Fault::usage, {def.name, "2 channels"}, [&] { made(def.name, able, {2, 8, 8}); });
  }
  expect_raises(Fault::usage, {"no strengths", "--color-jitter"}, [] { made("color-jitter"); });
  expect_raises(Fault::usage, {"5 values", "four"},
                [] { made("color-jitter", jitter("1,1,1,0.1,1")); });
  expect_raises(Fault::usage, {"hue of 0.6", "0.5"},
                [] { made("color-jitter", jitter("1,1,1,0.6")); });
  expect_raises(Fault::usage, {"no probability", "--random-erase"}, [] { made("random-erase"); });
}

}  // namespace
}  // namespace convoy::test
