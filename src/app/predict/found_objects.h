// The objects found in a picture, as text, as JSON, and as COCO's results.
#pragma once

#include <cstdint>
#include <span>
#include <string>
#include <vector>

#include "app/predict/coco_ids.h"
#include "boxes/nms.h"

namespace convoy {

struct FoundObject {
  int64_t label;  // the network's class, from 1
  double score;
  double x, y, width, height;  // in pixels of the picture; may reach outside
};

// An object of a picture of this size.
FoundObject in_pixels(const Detection& detection, int64_t width, int64_t height);

struct FoundInPicture {
  int64_t index = 0;  // of the picture, over all inputs
  std::string file;   // empty: unknown
  int64_t width = 0, height = 0;
  std::vector<FoundObject> objects;  // the best first
};

// A line for each object with at least this score: "photo.jpg   93.1%   18 dog   10.0 20.5 100.0
// 50.0": its score, the category's number and name, and left, top, width and height. One line
// without a number if there is none.
std::string text_lines(const FoundInPicture& picture, const CocoIds& ids, double min_score);

// {"index": 0, "file": "a.jpg", "width": 640, "height": 480, "objects": [{"class": 17, "category":
// 18, "name": "dog", "score": 0.931, "box": [10.0, 20.5, 100.0, 50.0]}]} and a newline.
std::string json_line(const FoundInPicture& picture, const CocoIds& ids);

// COCO's format for results: a list of objects with the numbers of pictures and categories.
class CocoResults {
 public:
  void add(int64_t image, std::span<const FoundObject> objects, const CocoIds& ids);
  std::string text() const { return text_.empty() ? "[]\n" : "[\n" + text_ + "\n]\n"; }

 private:
  std::string text_;
};

}  // namespace convoy
