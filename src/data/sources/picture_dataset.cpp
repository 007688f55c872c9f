#include "data/sources/picture_dataset.h"

#include <algorithm>

#include "base/files/file.h"
#include "data/objects.h"
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
// The same without rounding.
void brightness(const float* planes, int64_t count, float* out) {
  for (int64_t i = 0; i < count; ++i) {
    out[i] = (planes[i] * 19595 + planes[count + i] * 38470 + planes[2 * count + i] * 7471) / 65536;
  }
}

template <class T>
void resize(const Pixels& pixels, const PictureSpec& spec, Resizer& resizer,
            std::vector<T>& colours, T* image) {
  const int64_t plane = spec.size * spec.size;
  if (spec.channels == 3) {
    resizer.run(pixels, image);
    if (spec.bgr) std::swap_ranges(image, image + plane, image + 2 * plane);
  } else {
    colours.resize(static_cast<size_t>(3 * plane));
    resizer.run(pixels, colours.data());
    brightness(colours.data(), plane, image);
  }
}

// The size of the picture (turned upright, or as stored) must be the one of the annotations.
void add_objects(const EncodedPicture& picture, int64_t width, int64_t height,
                 const std::string& origin, Sample& sample) {
  const PictureObjects& objects = picture.objects;
  if (width != objects.width || height != objects.height) {
    const bool is_turned = width == objects.height && height == objects.width;
    raise(Fault::data,
          "{} has {} x {} pixels, but its annotations are about {} x {}; try: {}the picture or the "
          "annotations of the same set",
          origin, width, height, objects.width, objects.height,
          is_turned ? "the other value of --exif-turn, or " : "");
  }
  object_tensor::add(
      {picture.boxes, objects.classes, objects.truth, objects.image_id, height, width}, sample);
}

}  // namespace

struct PictureDataset::Workplace {
  EncodedPicture picture;
  PictureDecoder decoder;
  Resizer resizer;
  Pixels pixels;
  // Three planes that are converted to one.
  std::vector<uint8_t> colours;
  std::vector<float> float_colours;
};

PictureDataset::PictureDataset(std::unique_ptr<PictureSource> source, const PictureSpec& spec,
                               const FreeMemory& free)
    : source_(std::move(source)), spec_(spec), view_def_(find_view(spec.view)) {
  view_ = view_def_.make(spec);
  const int64_t decoded = source_->decoded_bytes();
  const bool fits = decoded > 0 && decoded <= free.bytes() - free.reserve;
  if (spec.cache && fits && spec.decode == DecodeSpeed::exact) {
    decoded_ = std::make_unique<KeepWhileFree<Decoded>>(source_->size(), free);
  } else if (spec.cache) {
    source_ = cached(std::move(source_), free);
  }
}

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
  if (source_->has_objects()) {
    const auto add = [&](const auto& values) {
      picture.bytes.append(reinterpret_cast<const char*>(values.data()),
                           values.size() * sizeof(values[0]));
    };
    add(picture.objects.classes);
    add(picture.objects.truth);
    return hash_bytes(picture.bytes + std::to_string(picture.objects.image_id));
  }
  return hash_bytes(picture.bytes + std::to_string(picture.label + spec_.label_offset));
}

TensorList PictureDataset::tensors() const {
  if (!source_->has_objects()) return Dataset::tensors();
  return object_tensor::fixed();
}

void PictureDataset::read(int64_t index, uint64_t key, Sample& sample) const {
  std::unique_ptr<Workplace> place = take();
  if (decoded_) {
    read_decoded(index, key, *place, sample);
  } else {
    read_encoded(index, key, *place, sample);
  }
  give_back(std::move(place));
}

void PictureDataset::read_encoded(int64_t index, uint64_t key, Workplace& w, Sample& sample) const {
  source_->read(index, w.picture);
  const std::string origin = source_->origin(index);
  const PictureInfo info = w.decoder.open(w.picture.bytes, origin);
  const bool turns = spec_.upright && info.orientation > 1;
  const bool lies = turns && info.orientation >= 5;
  const int64_t width = lies ? info.height : info.width, height = lies ? info.width : info.height;
  add_tensors(w.picture, width, height, origin, sample);
  PictureView view = view_->make(width, height, w.picture.boxes, Random(key));
  sample.geometry = {geometry_of(view.x, width), geometry_of(view.y, height)};
  const bool may_shrink =
      spec_.decode == DecodeSpeed::fast && info.format == PictureFormat::jpeg && !turns;
  const int shrink = may_shrink ? shrink_for(view) : 1;
  if (shrink > 1) view = shrunk(view, shrink);
  const PixelRect needed = w.resizer.plan(view, divide_up(width, shrink), divide_up(height, shrink),
                                          view_def_.how.value_or(spec_.how));
  w.decoder.decode(turns ? PixelRect{0, 0, info.width, info.height} : needed, spec_.decode, shrink,
                   w.pixels);
  if (turns) turn_upright(w.pixels, info.orientation);
  make_image(w.pixels, w, sample);
}

// The same sample from the whole decoded picture, which is kept if there is still room.
void PictureDataset::read_decoded(int64_t index, uint64_t key, Workplace& w, Sample& sample) const {
  const Decoded* kept = decoded_->find(index);
  const std::string origin = source_->origin(index);
  if (!kept) {
    source_->read(index, w.picture);
    const PictureInfo info = w.decoder.open(w.picture.bytes, origin);
    w.decoder.decode({0, 0, info.width, info.height}, DecodeSpeed::exact, 1, w.pixels);
    if (spec_.upright) turn_upright(w.pixels, info.orientation);
    decoded_->keep(index, static_cast<int64_t>(w.pixels.bytes.size()), [&] {
      Decoded copy{w.picture, w.pixels};
      copy.picture.bytes = {};
      return copy;
    });
  }
  const EncodedPicture& picture = kept ? kept->picture : w.picture;
  const Pixels& pixels = kept ? kept->pixels : w.pixels;
  const int64_t width = pixels.region.width, height = pixels.region.height;
  add_tensors(picture, width, height, origin, sample);
  const PictureView view = view_->make(width, height, picture.boxes, Random(key));
  sample.geometry = {geometry_of(view.x, width), geometry_of(view.y, height)};
  w.resizer.plan(view, width, height, view_def_.how.value_or(spec_.how));
  make_image(pixels, w, sample);
}

void PictureDataset::add_tensors(const EncodedPicture& picture, int64_t width, int64_t height,
                                 const std::string& origin, Sample& sample) const {
  if (source_->has_objects()) {
    add_objects(picture, width, height, origin, sample);
  } else {
    sample.add_label(picture.label + spec_.label_offset);
  }
}

void PictureDataset::make_image(const Pixels& pixels, Workplace& w, Sample& sample) const {
  if (view_def_.floats) {
    resize(pixels, spec_, w.resizer, w.float_colours, sample.values());
  } else {
    resize(pixels, spec_, w.resizer, w.colours, sample.pixels());
  }
}

}  // namespace convoy
