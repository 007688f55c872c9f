// The names that the fixture policies.json has for effects.
#pragma once

#include <gtest/gtest.h>

#include <array>
#include <string_view>

#include "data/policy/effect.h"

namespace convoy::test {

inline policy::Effect effect_by_name(std::string_view name) {
  constexpr std::array<std::string_view, 16> names{
      "identity",     "shear_x",  "shear_y",  "translate_x", "translate_y", "rotate",
      "brightness",   "colour",   "contrast", "sharpness",   "posterize",   "solarize",
      "autocontrast", "equalize", "invert",   "hue"};
  for (size_t i = 0; i < names.size(); ++i) {
    if (names[i] == name) return static_cast<policy::Effect>(i);
  }
  ADD_FAILURE() << "no effect " << name;
  return policy::Effect::identity;
}

}  // namespace convoy::test
