#include "data/sources/picture_dataset.h"

#include <algorithm>

#include "base/files/file.h"
#include "data/sources/cached_source.h"
#include "pictures/exif.h"
#include "tensor/shape.h"

namespace convoy {
namespace {

// The largest shrink factor of decoding that still leaves at least the view's resolution.
int shrink_for(const PictureView& view) {
  const double scale = std::min(view.x.length / static_cast<double>(view.x.whole),
                                view.y.length / static_cast<double>(view.y.whole));
  return scale >= 8 ? 8 : scale >= 4 ? 4 : scale >= 2 ? 2 : 1;
}

Geometry::Axis geometry_of(const ViewAxis& axis, int64_t size) {
  const double scale = static_cast<double>(axis.whole) / axis.length;
  return {static_cast<double>(size) * scale, -axis.from * scale - static_cast<double>(axis.first)};
}

// Converts red, green and blue planes to luminance, as Pillow's conversion to L does.
void brightness(const uint8_t* planes, int64_t count, uint8_t* out) {
  for (int64_t i = 0; i < count; ++i) {
    const int sum = planes[i] * 19595 + planes[count + i] * 38470 + planes[2 * count + i] * 7471;
    out[i] = static_cast<uint8_t>((sum + 0x8000) >> 16);
  }
}

}  // namespace

struct PictureDataset::Workplace {
  EncodedPicture picture;
  PictureDecoder decoder;
  Resizer resizer;
  Pixels pixels;
  std::vector<uint8_t> colours;  // three planes that are converted to one
};

PictureDataset::PictureDataset(std::unique_ptr<PictureSource> source, const PictureSpec& spec)
    : source_(spec.cache ? cached(std::move(source)) : std::move(source)),
      spec_(spec),
      view_(find_view(spec.view).make(spec)) {}

PictureDataset::~PictureDataset() = default;

int PictureDataset::classes() const { return static_cast<int>(class_names().size()); }

std::vector<std::string> PictureDataset::class_names() const {
  std::vector<std::string> names(static_cast<size_t>(spec_.label_offset), "background");
  for (std::string& name : source_->class_names()) names.push_back(std::move(name));
  return names;
}

std::unique_ptr<PictureDataset::Workplace> PictureDataset::take() const {
  const std::lock_guard lock(mutex_);
  if (idle_.empty()) return std::make_unique<Workplace>();
  std::unique_ptr<Workplace> place = std::move(idle_.back());
  idle_.pop_back();
  return place;
}

void PictureDataset::give_back(std::unique_ptr<Workplace> place) const {
  const std::lock_guard lock(mutex_);
  idle_.push_back(std::move(place));
}

uint64_t PictureDataset::content_hash(int64_t index) const {
  EncodedPicture picture;
  source_->read(index, picture);
  return hash_bytes(picture.bytes + std::to_string(picture.label + spec_.label_offset));
}

void PictureDataset::read(int64_t index, uint64_t key, Sample& sample) const {
  std::unique_ptr<Workplace> place = take();
  Workplace& w = *place;
  source_->read(index, w.picture);
  sample.add_label(w.picture.label + spec_.label_offset);
  const PictureInfo info = w.decoder.open(w.picture.bytes, source_->origin(index));
  const bool turns = spec_.upright && info.orientation > 1;
  const bool lies = turns && info.orientation >= 5;
  const int64_t width = lies ? info.height : info.width, height = lies ? info.width : info.height;
  PictureView view = view_->make(width, height, w.picture.boxes, Random(key));
  sample.geometry = {geometry_of(view.x, width), geometry_of(view.y, height)};
  const bool may_shrink =
      spec_.decode == DecodeSpeed::fast && info.format == PictureFormat::jpeg && !turns;
  const int shrink = may_shrink ? shrink_for(view) : 1;
  if (shrink > 1) view = shrunk(view, shrink);
  const PixelRect needed =
      w.resizer.plan(view, divide_up(width, shrink), divide_up(height, shrink), spec_.how);
  w.decoder.decode(turns ? PixelRect{0, 0, info.width, info.height} : needed, spec_.decode, shrink,
                   w.pixels);
  if (turns) turn_upright(w.pixels, info.orientation);
  const int64_t plane = spec_.size * spec_.size;
  uint8_t* pixels = sample.pixels();
  if (spec_.channels == 3) {
    w.resizer.run(w.pixels, pixels);
    if (spec_.bgr) std::swap_ranges(pixels, pixels + plane, pixels + 2 * plane);
  } else {
    w.colours.resize(static_cast<size_t>(3 * plane));
    w.resizer.run(w.pixels, w.colours.data());
    brightness(w.colours.data(), plane, pixels);
  }
  give_back(std::move(place));
}

}  // namespace convoy
