#include "data/augment/augment_chain.h"

#include <algorithm>

#include "base/error.h"
#include "base/text/text.h"
#include "data/augment/byte_augment.h"
#include "kernels/pictures/look_up.h"
#include "tensor/arena.h"

namespace convoy {
namespace {

constexpr int64_t byte_values = 256;

const AugmentDef& find_augment(std::string_view name) {
  std::vector<std::string> names;
  for (const AugmentDef& def : augment_catalog()) {
    if (def.name == name) return def;
    names.emplace_back(def.name);
  }
  const std::string near = nearest(name, names);
  raise(Fault::usage, "unknown augmentation '{}'{}; try: {}", name,
        near.empty() ? "" : ", did you mean '" + near + "'?", join(names, ", "));
}

Random random_of_step(uint64_t key, size_t step) {
  return Random(random_key(key, Purpose::augment, step));
}

// Draws the image at its new position, row by row through `write`: an object with value(channel,
// pixel), row(channel, from, count, to) and mirrored(channel, last, count, to).
template <class From, class To, class Write>
void draw(const From* pixels, To* out, const Shape& image, const Placement& placement,
          const Write& write) {
  const int64_t h = image[1], w = image[2];
  // The columns whose source is inside: 0 <= x + shift < w. A mirrored row is filled from its right
  // end; its source columns run backwards from w - 1 + dx.
  const int64_t shift = placement.mirrored ? -placement.dx : placement.dx;
  const int64_t begin = std::clamp<int64_t>(-shift, 0, w),
                end = std::clamp<int64_t>(w - shift, begin, w);
  for (int64_t c = 0; c < image[0]; ++c) {
    const To outside = write.value(c, 0);
    for (int64_t y = 0; y < h; ++y, out += w) {
      const int64_t from = y + placement.dy;
      if (from < 0 || from >= h) {
        std::fill_n(out, w, outside);
        continue;
      }
      const From* row = pixels + (c * h + from) * w;
      std::fill_n(out, begin, outside);
      if (placement.mirrored) {
        write.mirrored(c, row + w - 1 + placement.dx - begin, end - begin, out + begin);
      } else {
        write.row(c, row + placement.dx + begin, end - begin, out + begin);
      }
      std::fill_n(out + end, w - end, outside);
    }
  }
}

struct ByTable {
  const float* tables;

  const float* table(int64_t c) const { return tables + c * byte_values; }
  float value(int64_t c, uint8_t pixel) const { return table(c)[pixel]; }
  void row(int64_t c, const uint8_t* from, int64_t count, float* to) const {
    kernels::look_up(from, count, table(c), to);
  }
  void mirrored(int64_t c, const uint8_t* last, int64_t count, float* to) const {
    kernels::look_up_backwards(last, count, table(c), to);
  }
};

template <class T>
struct Unchanged {
  T value(int64_t, T pixel) const { return pixel; }
  void row(int64_t, const T* from, int64_t count, T* to) const { std::copy_n(from, count, to); }
  void mirrored(int64_t, const T* last, int64_t count, T* to) const {
    std::reverse_copy(last + 1 - count, last + 1, to);
  }
};

}  // namespace

AugmentChain::AugmentChain(const std::vector<std::string>& names, const AugmentOptions& options,
                           const Shape& image)
    : image_(image), tables_(static_cast<size_t>(image[0] * byte_values)) {
  std::string normaliser;
  for (const std::string& name : names) {
    const AugmentDef& def = find_augment(name);
    steps_.push_back(def.make(options, image));
    scratch_bytes_ = std::max(scratch_bytes_, steps_.back()->needs(image));
    if (def.normaliser) normaliser = name;
    if (distorts_.empty() && steps_.back()->distorts()) distorts_ = name;
    if (needs_bytes_.empty() && steps_.back()->on_bytes()) needs_bytes_ = name;
    if (!normaliser.empty() && steps_.back()->on_bytes()) {
      raise(Fault::usage, "{} works on pixels of 0..255 and comes after {}; try: before it", name,
            normaliser);
    }
  }
  add_front();
  scratch_bytes_ += stage_pictures() * picture_bytes();
  for (size_t i = 0; i < tables_.size(); ++i) tables_[i] = static_cast<float>(i % byte_values);
  for (mapped_ = last_.end; mapped_ < steps_.size(); ++mapped_) {
    bool maps = true;
    for (int64_t c = 0; c < image[0]; ++c) {
      maps = steps_[mapped_]->map(tables_.data() + c * byte_values, c) && maps;
    }
    if (!maps) break;
  }
  if (mapped_ < steps_.size()) needs_floats_ = names[mapped_];
}

// Groups moves and augmentations on bytes at the front of the chain into stages.
void AugmentChain::add_front() {
  for (size_t step = 0;;) {
    Stage stage{.first = step, .moved = 0, .end = 0};
    Placement probe;
    while (step < steps_.size() && steps_[step]->place(probe, image_, Random(0))) ++step;
    stage.moved = step;
    while (step < steps_.size() && steps_[step]->on_bytes()) ++step;
    stage.end = step;
    if (stage.moved == stage.end) {
      last_ = stage;
      return;
    }
    stages_.push_back(stage);
  }
}

Placement AugmentChain::placement(const Stage& stage, uint64_t key) const {
  Placement placement;
  for (size_t step = stage.first; step < stage.moved; ++step) {
    steps_[step]->place(placement, image_, random_of_step(key, step));
  }
  return placement;
}

size_t AugmentChain::picture_bytes() const {
  return static_cast<size_t>(round_up(image_.count(), static_cast<int64_t>(Arena::alignment)));
}

// Each stage reads the image that the previous one wrote: one buffer, or two in turn.
size_t AugmentChain::stage_pictures() const { return std::min<size_t>(stages_.size(), 2); }

// Returns the image after all stages.
const uint8_t* AugmentChain::run_stages(const uint8_t* pixels, uint64_t key,
                                        std::byte* scratch) const {
  for (size_t i = 0; i < stages_.size(); ++i) {
    auto* picture = reinterpret_cast<uint8_t*>(scratch + i % 2 * picture_bytes());
    draw(pixels, picture, image_, placement(stages_[i], key), Unchanged<uint8_t>{});
    for (size_t step = stages_[i].moved; step < stages_[i].end; ++step) {
      steps_[step]->on_bytes()->apply_bytes(
          picture, image_, scratch + stage_pictures() * picture_bytes(), random_of_step(key, step));
    }
    pixels = picture;
  }
  return pixels;
}

void AugmentChain::run(const uint8_t* pixels, float* out, uint64_t key, std::byte* scratch) const {
  draw(run_stages(pixels, key, scratch), out, image_, placement(last_, key),
       ByTable{tables_.data()});
  for (size_t step = mapped_; step < steps_.size(); ++step) {
    steps_[step]->apply(out, image_, scratch, random_of_step(key, step));
  }
}

void AugmentChain::run(const float* values, float* out, uint64_t key, std::byte* scratch) const {
  expect(needs_bytes_.empty(), "an augmentation needs bytes");
  draw(values, out, image_, placement(last_, key), Unchanged<float>{});
  for (size_t step = last_.end; step < steps_.size(); ++step) {
    steps_[step]->apply(out, image_, scratch, random_of_step(key, step));
  }
}

void AugmentChain::run(const Sample& sample, float* out, uint64_t key, std::byte* scratch) const {
  if (sample.image_type() == DType::f32) {
    run(sample.values(), out, key, scratch);
  } else {
    run(sample.pixels(), out, key, scratch);
  }
}

void AugmentChain::run_bytes(const uint8_t* pixels, uint8_t* out, uint64_t key,
                             std::byte* scratch) const {
  expect(keeps_bytes(), "an augmentation needs floats");
  draw(run_stages(pixels, key, scratch), out, image_, placement(last_, key), Unchanged<uint8_t>{});
}

void AugmentChain::follow(uint64_t key, Geometry& geometry) const {
  expect(distorts_.empty(), "boxes cannot follow a distortion");
  const auto add = [&](const Placement& move) {
    Geometry::Axis &x = geometry.x, &y = geometry.y;
    y.shift -= static_cast<double>(move.dy);
    if (move.mirrored) {
      x = {-x.scale, static_cast<double>(image_[2] + move.dx) - x.shift};
    } else {
      x.shift -= static_cast<double>(move.dx);
    }
  };
  for (const Stage& stage : stages_) add(placement(stage, key));
  add(placement(last_, key));
  for (size_t step = last_.end; step < steps_.size(); ++step) {
    Placement move;
    if (steps_[step]->place(move, image_, random_of_step(key, step))) add(move);
  }
}

void AugmentChain::run_plainly(const uint8_t* pixels, float* out, uint64_t key,
                               std::byte* scratch) const {
  std::copy_n(pixels, image_.count(), out);
  for (size_t step = 0; step < steps_.size(); ++step) {
    steps_[step]->apply(out, image_, scratch, random_of_step(key, step));
  }
}

}  // namespace convoy
