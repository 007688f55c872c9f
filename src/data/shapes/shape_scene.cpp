#include "data/shapes/shape_scene.h"

#include <algorithm>
#include <cmath>

#include "base/error.h"
#include "base/random.h"
#include "data/shapes/shape_ground.h"
#include "data/shapes/shape_mask.h"

namespace convoy {
namespace {

constexpr int most_objects = 6, attempts = 12;
constexpr double least_visible = 0.6, least_aspect = 0.6, most_turn = 0.45;
constexpr double least_contrast = 90;

// A shape somewhere inside the picture. Small and large ones are equally likely per octave.
ShapePlace draw_place(Random& random, int64_t side) {
  ShapePlace place{.kind = static_cast<int>(random.below(shape_kinds))};
  const double aspect = between(random, least_aspect, 1);
  const bool wide = random.below(2) == 0;
  place.half_width = wide ? 1 : aspect;
  place.half_height = wide ? aspect : 1;
  const double angle = between(random, -most_turn, most_turn);
  place.cosine = std::cos(angle);
  place.sine = std::sin(angle);
  const ShapeReach reach = reach_of(place);
  const double width = reach.left + reach.right, height = reach.up + reach.down;
  constexpr double inner = 1.03;  // leaves room for the rounding of boxes
  const double size = least_shape * inner *
                      std::pow(most_shape / inner / (least_shape * inner), random.uniform()) *
                      static_cast<double>(side);
  const double scale = size / std::max(width, height);
  place.half_width *= scale;
  place.half_height *= scale;
  const auto within = [&](double before, double after) {
    return between(random, before * scale + 1, static_cast<double>(side) - after * scale - 1);
  };
  place.cx = within(reach.left, reach.right);
  place.cy = within(reach.up, reach.down);
  return place;
}

// Whether enough stays visible of what lies below.
bool leaves_room(const ShapeMask& upper, const std::vector<ShapeMask>& below,
                 std::vector<double>& hidden) {
  std::vector<double> more = hidden;
  for (size_t k = 0; k < below.size(); ++k) {
    const ShapeMask& lower = below[k];
    for (int64_t y = 0; y < lower.at.height; ++y) {
      for (int64_t x = 0; x < lower.at.width; ++x) {
        const int64_t ux = lower.at.x + x - upper.at.x, uy = lower.at.y + y - upper.at.y;
        if (ux < 0 || uy < 0 || ux >= upper.at.width || uy >= upper.at.height) continue;
        more[k] += static_cast<double>(
            std::min(lower.share[static_cast<size_t>(y * lower.at.width + x)],
                     upper.share[static_cast<size_t>(uy * upper.at.width + ux)]));
      }
    }
    if (more[k] > (1 - least_visible) * lower.area) return false;
  }
  hidden = more;
  hidden.push_back(0);
  return true;
}

// Colours that stand out from the ground.
void choose_colours(Random& random, const ShapeGround& ground, ShapeObject& object) {
  const auto is_seen = [&](const ShapeColour& colour) {
    return distance(colour, ground.first()) > least_contrast &&
           distance(colour, ground.second()) > least_contrast;
  };
  const auto draw = [&] {
    ShapeColour colour = draw_colour(random, 0.2, 1);
    for (int i = 0; i < 50 && !is_seen(colour); ++i) colour = draw_colour(random, 0.2, 1);
    if (is_seen(colour)) return colour;
    const ShapeColour dark{10, 10, 15}, light{250, 250, 245};
    return distance(dark, ground.mean()) > distance(light, ground.mean()) ? dark : light;
  };
  object.first = draw();
  object.second = random.below(2) == 0 ? object.first : mixed(object.first, draw(), 0.7);
  if (!is_seen(object.second)) object.second = object.first;
  object.stripe = random.below(3) == 0 ? between(random, 3, 9) : 0;
}

ShapeColour colour_at(const ShapeObject& object, int64_t x, int64_t y) {
  if (object.stripe > 0) {
    const double along = static_cast<double>(x + y) / object.stripe;
    return std::fmod(along, 2.0) < 1 ? object.first : object.second;
  }
  const double share = (static_cast<double>(x) - object.box.x) / object.box.width;
  return mixed(object.first, object.second, std::clamp(share, 0.0, 1.0));
}

}  // namespace

ShapeScene shape_scene(int64_t side, uint64_t key) {
  expect(side >= least_shape_side, "room for shapes");
  ShapeScene scene{.side = side, .key = key, .objects = {}};
  const ShapeGround ground(key, side);
  Random random(mix(key + 2));
  const int wanted = 1 + static_cast<int>(random.below(most_objects));
  std::vector<ShapeMask> masks;
  std::vector<double> hidden;
  for (int i = 0; i < wanted * attempts && std::ssize(masks) < wanted; ++i) {
    ShapeObject object{.place = draw_place(random, side)};
    ShapeMask mask = mask_of(object.place, side);
    const double longer = std::max(mask.right - mask.left, mask.bottom - mask.top);
    const auto least = least_shape * static_cast<double>(side),
               most = most_shape * static_cast<double>(side);
    if (longer < least || longer > most || !leaves_room(mask, masks, hidden)) continue;
    object.box = {mask.left, mask.top, mask.right - mask.left, mask.bottom - mask.top};
    object.area = mask.area;
    choose_colours(random, ground, object);
    scene.objects.push_back(object);
    masks.push_back(std::move(mask));
  }
  expect(!scene.objects.empty(), "a shape fits into an empty picture");
  return scene;
}

Pixels paint(const ShapeScene& scene) {
  const int64_t side = scene.side;
  const ShapeGround ground(scene.key, side);
  std::vector<ShapeColour> colours;
  for (int64_t at = 0; at < side * side; ++at) {
    colours.push_back(ground.at(at % side, at / side));
  }
  for (const ShapeObject& object : scene.objects) {
    const ShapeMask mask = mask_of(object.place, side);
    for (int64_t i = 0; i < std::ssize(mask.share); ++i) {
      const int64_t x = mask.at.x + i % mask.at.width, y = mask.at.y + i / mask.at.width;
      ShapeColour& pixel = colours[static_cast<size_t>(y * side + x)];
      pixel = mixed(pixel, colour_at(object, x, y),
                    static_cast<double>(mask.share[static_cast<size_t>(i)]));
    }
  }
  Random random(mix(scene.key + 3));
  Pixels pixels{.region = {0, 0, side, side}, .bytes = {}};
  for (const ShapeColour& colour : colours) {
    const double grain = between(random, -5, 5);
    for (const double value : {colour.red, colour.green, colour.blue}) {
      pixels.bytes.push_back(
          static_cast<uint8_t>(std::clamp(std::lround(value + grain), 0l, 255l)));
    }
    pixels.bytes.push_back(0);
  }
  return pixels;
}

}  // namespace convoy
