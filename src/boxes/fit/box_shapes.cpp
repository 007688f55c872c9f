#include "boxes/fit/box_shapes.h"

#include <fmt/format.h>

#include <charconv>
#include <optional>

#include "base/error.h"
#include "base/text/text.h"

namespace convoy {
namespace {

std::optional<double> side_of(const std::string& text) {
  double side = 0;
  const auto [end, error] = std::from_chars(text.data(), text.data() + text.size(), side);
  const bool is_side =
      error == std::errc() && end == text.data() + text.size() && side > 0 && side <= 1;
  return is_side ? std::optional(side) : std::nullopt;
}

}  // namespace

std::vector<BoxShape> parse_box_shapes(std::string_view text) {
  std::vector<BoxShape> shapes;
  for (const std::string& one : split(text, '+')) {
    const std::vector<std::string> sides = split(one, 'x');
    const auto width = sides.size() == 2 ? side_of(sides[0]) : std::nullopt;
    const auto height = sides.size() == 2 ? side_of(sides[1]) : std::nullopt;
    if (!width || !height) {
      raise(Fault::usage,
            "'{}' is no shape of a box; try: WIDTHxHEIGHT as fractions of the image: 0.1x0.25",
            one);
    }
    shapes.push_back({.height = *height, .width = *width});
  }
  return shapes;
}

std::string text_of(std::span<const BoxShape> shapes) {
  std::vector<std::string> texts;
  for (const BoxShape& shape : shapes) {
    texts.push_back(fmt::format("{:.4f}x{:.4f}", shape.width, shape.height));
  }
  return join(texts, "+");
}

}  // namespace convoy
