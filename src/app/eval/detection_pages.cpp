#include "app/eval/detection_pages.h"

#include <fmt/format.h>

#include <algorithm>
#include <cmath>
#include <unordered_map>

#include "data/objects.h"
#include "pictures/drawing.h"
#include "pictures/png.h"
#include "plot/canvas.h"
#include "plot/page.h"

namespace convoy {
namespace {

constexpr int64_t pages = 3, page_pictures = 16, page_columns = 4;
constexpr int64_t pairs = 8, pair_columns = 4;  // of the page with truth and prediction
constexpr double shown_score = 0.25;
constexpr int jpeg_quality = 90;

// A picture of the set as the network sees it, before normalisation.
class SeenPictures {
 public:
  SeenPictures(const DetectionSummary& summary, const Dataset& data)
      : summary_(summary), data_(data), memory_(static_cast<size_t>(stored_bytes(data.image()))) {
    for (const ScoredPicture& picture : summary.pictures) of_image_[picture.image] = &picture;
  }

  // Null: it could not be read, so it was not evaluated.
  const ScoredPicture* open(int64_t index) {
    sample_.begin(memory_.data(), data_.image_type());
    try {
      data_.read(index, 0, sample_);
    } catch (const Error& error) {
      if (error.fault() != Fault::data) throw;
      return nullptr;
    }
    const auto found = of_image_.find(sample_.get<int64_t>(object_tensor::image_id)[0]);
    return found == of_image_.end() ? nullptr : found->second;
  }

  // Of the picture opened last.
  Pixels with_truths(const ScoredPicture& picture) const {
    std::vector<DrawnObject> drawn;
    for (const CocoTruth& truth : picture.truths) {
      drawn.push_back(placed(truth, summary_.classes[static_cast<size_t>(truth.category)]));
    }
    return drawn_objects(pixels(), drawn);
  }
  Pixels with_found(const ScoredPicture& picture) const {
    std::vector<DrawnObject> drawn;
    for (const CocoDetection& one : picture.found) {
      if (one.score < shown_score) continue;
      drawn.push_back(
          placed(one, fmt::format("{} {:.2f}", summary_.classes[static_cast<size_t>(one.category)],
                                  one.score)));
    }
    return drawn_objects(pixels(), drawn);
  }

 private:
  // From pixels of the picture to pixels of the image.
  template <class Object>
  DrawnObject placed(const Object& object, std::string label) const {
    const auto size = sample_.get<int32_t>(object_tensor::picture_size);
    const auto across = [&](double x) { return sample_.geometry.x.at(x / size[1]); };
    const auto down = [&](double y) { return sample_.geometry.y.at(y / size[0]); };
    return {.x = across(object.x),
            .y = down(object.y),
            .width = across(object.x + object.width) - across(object.x),
            .height = down(object.y + object.height) - down(object.y),
            .label = std::move(label),
            .colour = object.category + 1};
  }

  Pixels pixels() const {
    const Shape image = data_.image_shape();
    const int64_t plane = image[1] * image[2];
    Pixels made{.region = {0, 0, image[2], image[1]}, .bytes = {}};
    made.bytes.reserve(static_cast<size_t>(4 * plane));
    for (int64_t at = 0; at < plane; ++at) {
      for (int64_t c = 0; c < 3; ++c) {
        made.bytes.push_back(value(std::min(c, image[0] - 1) * plane + at));
      }
      made.bytes.push_back(0);
    }
    return made;
  }
  uint8_t value(int64_t at) const {
    if (data_.image_type() == DType::u8) return sample_.pixels()[at];
    return static_cast<uint8_t>(std::clamp(std::lround(sample_.values()[at]), 0l, 255l));
  }

  const DetectionSummary& summary_;
  const Dataset& data_;
  std::vector<std::byte> memory_;
  Sample sample_;
  std::unordered_map<int64_t, const ScoredPicture*> of_image_;
};

void write_page(const fs::path& file, const std::vector<Pixels>& pictures, int64_t columns) {
  write_atomically(file, encode_jpeg(page_of(pictures, columns), jpeg_quality), Fault::usage);
}

// A line of titles above the columns of the page.
Pixels with_titles(Pixels page, int64_t columns) {
  Canvas titles(page.region.width, 30, {255, 255, 255});
  for (int64_t i = 0; i < columns; ++i) {
    titles.text(i * page.region.width / columns + 8, 8, i % 2 ? "found" : "truth", {20, 20, 24},
                true);
  }
  const std::vector<uint8_t>& above = titles.pixels().bytes;
  page.bytes.insert(page.bytes.begin(), above.begin(), above.end());
  page.region.height += titles.pixels().region.height;
  return page;
}

}  // namespace

void write_detection_pages(const fs::path& folder, const DetectionSummary& summary,
                           const Dataset& data) {
  SeenPictures seen(summary, data);
  std::vector<Pixels> truths, found, both;
  int64_t page = 0;
  const auto end_page = [&] {
    if (truths.empty()) return;
    write_page(folder / fmt::format("val_batch{}_labels.jpg", page), truths, page_columns);
    write_page(folder / fmt::format("val_batch{}_pred.jpg", page), found, page_columns);
    truths.clear();
    found.clear();
    ++page;
  };
  for (int64_t i = 0; i < data.size() && page < pages; ++i) {
    const ScoredPicture* picture = seen.open(i);
    if (!picture) continue;
    truths.push_back(seen.with_truths(*picture));
    found.push_back(seen.with_found(*picture));
    if (std::ssize(both) < 2 * pairs) {
      both.push_back(truths.back());
      both.push_back(found.back());
    }
    if (std::ssize(truths) == page_pictures) end_page();
  }
  end_page();
  if (both.empty()) return;
  const Pixels whole =
      with_titles(page_of(both, pair_columns), std::min<int64_t>(pair_columns, std::ssize(both)));
  write_atomically(folder / "predictions.png", encode_png(whole), Fault::usage);
}

}  // namespace convoy
