#include "boxes/yolo_labels.h"

#include <fmt/core.h>

#include <algorithm>
#include <charconv>
#include <cmath>

namespace convoy {
namespace {

// What rounding may add to a fraction.
constexpr double slack = 0.01;
constexpr size_t box_numbers = 4, least_polygon_numbers = 6;

class LabelReader {
 public:
  LabelReader(int64_t classes, bool key_points) : classes_(classes), key_points_(key_points) {}

  void read_line(std::string_view line) {
    ++line_;
    numbers_.clear();
    std::string_view rest = line;
    const std::string_view first = next_word(rest);
    if (first.empty()) return;
    YoloRow row{};
    if (!read_class(first, row.number) || !read_numbers(rest)) return;
    if (numbers_.size() == box_numbers || (key_points_ && numbers_.size() > box_numbers)) {
      read_box(row);
    } else {
      read_polygon(row);
    }
  }

  YoloLabels finish() { return std::move(labels_); }

 private:
  static std::string_view next_word(std::string_view& rest) {
    constexpr std::string_view blanks = " \t\r\f\v";
    rest.remove_prefix(std::min(rest.find_first_not_of(blanks), rest.size()));
    const std::string_view word = rest.substr(0, rest.find_first_of(blanks));
    rest.remove_prefix(word.size());
    return word;
  }

  bool fail(std::string what, bool is_class = false) {
    if (labels_.problems.size() < YoloLabels::most_problems) {
      labels_.problems.push_back({line_, std::move(what), is_class});
    }
    return false;
  }

  static bool parse(std::string_view word, double& value) {
    if (word.starts_with('+')) word.remove_prefix(1);
    const auto [end, error] = std::from_chars(word.data(), word.data() + word.size(), value);
    return error == std::errc() && end == word.data() + word.size() && std::isfinite(value);
  }

  bool read_class(std::string_view word, int64_t& number) {
    double value = 0;
    if (!parse(word, value) || value < 0 || value != std::trunc(value) || value > 1e9) {
      return fail(fmt::format("the class {} is not a whole number", word.substr(0, 40)));
    }
    number = static_cast<int64_t>(value);
    if (number >= classes_) {
      return fail(fmt::format("the class {} is unknown; there are {}, from 0", number, classes_),
                  true);
    }
    return true;
  }

  bool read_numbers(std::string_view rest) {
    for (std::string_view word = next_word(rest); !word.empty(); word = next_word(rest)) {
      double value = 0;
      if (!parse(word, value)) return fail(fmt::format("{} is no number", word.substr(0, 40)));
      numbers_.push_back(value);
      const bool is_coordinate = !key_points_ || numbers_.size() <= box_numbers;
      if (is_coordinate && (value < -slack || value > 1 + slack)) {
        return fail(
            fmt::format("{} is not between 0 and 1, as fractions of the picture are", word));
      }
    }
    return true;
  }

  void read_box(YoloRow row) {
    if (has_polygons_) return fail_mixed();
    has_boxes_ = true;
    if (numbers_[2] < 0 || numbers_[3] < 0) {
      fail("the box has a negative size");
      return;
    }
    row.cx = numbers_[0], row.cy = numbers_[1];
    row.width = numbers_[2], row.height = numbers_[3];
    labels_.rows.push_back(row);
  }

  void read_polygon(YoloRow row) {
    const size_t count = numbers_.size();
    if (count < least_polygon_numbers || count % 2 != 0) {
      fail(
          fmt::format("{} numbers follow the class, where a box has 4, and a polygon 6 or more, "
                      "two for each corner",
                      count));
      return;
    }
    if (has_boxes_) return fail_mixed();
    has_polygons_ = true;
    double low[2] = {1, 1}, high[2] = {0, 0};
    for (size_t i = 0; i < count; ++i) {
      const double value = std::clamp(numbers_[i], 0.0, 1.0);
      low[i % 2] = std::min(low[i % 2], value);
      high[i % 2] = std::max(high[i % 2], value);
    }
    row.cx = (low[0] + high[0]) / 2, row.cy = (low[1] + high[1]) / 2;
    row.width = high[0] - low[0], row.height = high[1] - low[1];
    labels_.rows.push_back(row);
  }

  void fail_mixed() { fail("boxes and polygons in one file; try: one kind of them"); }

  int64_t classes_;
  bool key_points_, has_boxes_ = false, has_polygons_ = false;
  int line_ = 0;
  std::vector<double> numbers_;
  YoloLabels labels_;
};

}  // namespace

YoloLabels parse_yolo_labels(std::string_view text, int64_t classes, bool key_points) {
  constexpr std::string_view byte_order_mark = "\xef\xbb\xbf";
  if (text.starts_with(byte_order_mark)) text.remove_prefix(byte_order_mark.size());
  LabelReader reader(classes, key_points);
  while (!text.empty()) {
    const size_t end = text.find('\n');
    reader.read_line(text.substr(0, end));
    text.remove_prefix(end == text.npos ? text.size() : end + 1);
  }
  return reader.finish();
}

}  // namespace convoy
