#include "app/eval/detection_pages.h"

#include <fmt/format.h>

#include <algorithm>
#include <cmath>
#include <unordered_map>

#include "pictures/png.h"
#include "plot/canvas.h"
#include "plot/page.h"
#include "train/outputs/seen_objects.h"

namespace convoy {
namespace {

constexpr int64_t pages = 3, page_pictures = 16, page_columns = 4;
constexpr int64_t pairs = 8, pair_columns = 4;  // of the page with truth and prediction
constexpr int jpeg_quality = 90;

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
  SeenObjects seen(summary, data);
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
