#include "data/policy/space.h"

#include <nlohmann/json.hpp>

#include "data/policy/effects.h"
#include "support/fixture.h"
#include "support/raises.h"

namespace convoy::test {
namespace {

using policy::EffectSpace;

EffectSpace space_by_name(const std::string& name, const Shape& image) {
  if (name == "auto") return policy::auto_augment_space(image);
  if (name == "rand") return policy::rand_augment_space(image);
  if (name == "trivial") return policy::trivial_augment_space();
  return policy::augmix_space(image);
}

TEST(PolicySpace, IsThatOfTorchvisionAtEveryBin) {
  const nlohmann::json peer = fixture("policies");
  ASSERT_EQ(peer.at("spaces").size(), 8u);
  for (const auto& row : peer.at("spaces")) {
    const Shape image{3, row.at("size")[0], row.at("size")[1]};
    const EffectSpace space = space_by_name(row.at("policy"), image);
    const auto& effects = row.at("effects");
    ASSERT_EQ(space.ranges().size(), effects.size()) << row.at("policy");
    for (const auto& [name, about] : effects.items()) {
      const policy::Effect effect = effect_by_name(name);
      const auto values = about.at("values").get<std::vector<double>>();
      const bool is_factor =
          effect >= policy::Effect::brightness && effect <= policy::Effect::sharpness;
      for (int bin = 0; bin < space.bins(); ++bin) {
        const double value = values.size() == 1 ? values[0] : values.at(static_cast<size_t>(bin));
        for (const bool negative : {false, true}) {
          const double magnitude = negative && about.at("signed").get<bool>() ? -value : value;
          const policy::EffectStep step = space.step(effect, bin, negative);
          EXPECT_EQ(step.effect, effect);
          EXPECT_EQ(step.amount, is_factor ? 1.0 + magnitude : magnitude)
              << row.at("policy") << " " << name << " bin " << bin;
        }
      }
      EXPECT_TRUE(values.size() == 1 || values.size() == static_cast<size_t>(space.bins()));
    }
  }
}

TEST(PolicySpace, HasNoEffectThatIsNotItsOwn) {
  expect_raises(Fault::bug, {"does not have"},
                [] { policy::trivial_augment_space().step(policy::Effect::invert, 0, false); });
}

}  // namespace
}  // namespace convoy::test
