#include "data/boxed/boxed_split.h"

#include <algorithm>
#include <cmath>

#include "base/text/text.h"

namespace convoy {
namespace {

double width_of(const BoxedPicture& picture) { return static_cast<double>(picture.width); }
double height_of(const BoxedPicture& picture) { return static_cast<double>(picture.height); }

// Cuts [from, from + length] to [0, whole]. The sum is at most `whole`, also when computed anew.
void cut(double& from, double& length, double whole) {
  if (from >= 0 && from + length <= whole) return;
  const double end = std::min(from + length, whole);
  from = std::max(from, 0.0);
  length = std::max(0.0, end - from);
  while (length > 0 && from + length > whole) length = std::nextafter(length, 0.0);
}

}  // namespace

void BoxedSplit::count_unusable() {
  empty = outside = 0;
  for (BoxedPicture& picture : pictures) {
    picture.usable = 0;
    for (const BoxedObject& object : objects_of(picture)) {
      picture.usable += object.is_usable;
      empty += object.is_empty();
      outside += !object.is_usable && !object.is_empty();
    }
  }
}

int64_t BoxedSplit::bare() const { return std::ranges::count(pictures, 0, &BoxedPicture::usable); }

std::string BoxedSplit::unusable() const {
  std::vector<std::string> parts;
  if (empty > 0) parts.push_back(with_commas(empty) + " boxes of no size");
  if (outside > 0) parts.push_back(with_commas(outside) + " boxes that go beyond their picture");
  if (repeated > 0) parts.push_back(with_commas(repeated) + " boxes that repeat another one");
  return join(parts, ", ");
}

bool BoxesSeen::add(const BoxedObject& o) {
  return seen_.emplace(o.x, o.y, o.width, o.height, o.number, o.crowd).second;
}

Box box_of(const BoxedObject& object, const BoxedPicture& picture) {
  const double width = width_of(picture), height = height_of(picture);
  return {.ymin = static_cast<float>(object.y / height),
          .xmin = static_cast<float>(object.x / width),
          .ymax = static_cast<float>((object.y + object.height) / height),
          .xmax = static_cast<float>((object.x + object.width) / width)};
}

double beyond(const BoxedObject& object, const BoxedPicture& picture) {
  return std::max({-object.x, -object.y, object.x + object.width - width_of(picture),
                   object.y + object.height - height_of(picture)});
}

void judge(BoxedObject& object, const BoxedPicture& picture) {
  object.is_usable = !object.is_empty() && beyond(object, picture) <= 0;
}

void cut_to_picture(BoxedObject& object, const BoxedPicture& picture) {
  if (!object.is_empty()) {
    cut(object.x, object.width, width_of(picture));
    cut(object.y, object.height, height_of(picture));
  }
  judge(object, picture);
}

double settled(double pixels) {
  constexpr double decimals = 1e4, error = 1e-8;
  const double near = std::round(pixels * decimals) / decimals;
  return std::abs(near - pixels) < error ? near : pixels;
}

std::vector<std::string> class_names_of(const std::vector<CocoCategory>& categories) {
  std::vector<std::string> names;
  for (const CocoCategory& category : categories) {
    names.push_back(category.name.empty() ? std::to_string(category.id) : category.name);
  }
  return names;
}

}  // namespace convoy
