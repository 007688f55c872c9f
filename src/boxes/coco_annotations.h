// Reads COCO's annotation files (instances_*.json): pictures, categories, and objects with their
// boxes. Segmentations, captions, licences and all else are skipped.
//
// The file is read in pieces: memory is what is returned, about 100 bytes for an object and 150 for
// a picture. COCO's train2017 (450 MB, 860,001 objects) takes some seconds.
#pragma once

#include <cstdint>
#include <string>
#include <vector>

#include "base/files/file.h"

namespace convoy {

struct CocoImage {
  int64_t id;
  std::string file;       // empty: the file does not say
  int64_t width, height;  // in pixels; 0: the file does not say
};

struct CocoCategory {
  int64_t id;
  std::string name;  // empty: the file does not say
};

// Lengths are in pixels of the picture. They are finite, but can be impossible: sizes of zero or
// less, parts outside of the picture.
struct CocoAnnotation {
  int64_t id, image, category;
  double x, y, width, height;  // x, y: the upper left corner
  double area;                 // of the segmentation, not of the box
  bool crowd;                  // a region with many objects, not a single one
};

// Scoring takes 8 KB for each category.
inline constexpr size_t most_coco_categories = 20'000;

// In the order of the file. Ids are unique in each list; each annotation's image and category
// exist.
struct CocoAnnotations {
  std::vector<CocoImage> images;
  std::vector<CocoCategory> categories;
  std::vector<CocoAnnotation> annotations;
};

// A file that breaks the promises above, or is not JSON, is Fault::data; the message names the file
// and the entry: `annotations[3]`, from 0.
CocoAnnotations read_coco_annotations(const fs::path& file);

// Where each id of `images`, `categories` or `annotations` is in its list.
class CocoIndex {
 public:
  template <class Entry>
  explicit CocoIndex(const std::vector<Entry>& entries) {
    for (const Entry& entry : entries) add(entry.id);
    sort();
  }

  // -1: there is no such id.
  int64_t find(int64_t id) const;
  // The place of the first entry whose id an earlier one has; -1: all ids are unique.
  int64_t repeated() const { return repeated_; }

 private:
  struct Place {
    int64_t id, at;
  };
  void add(int64_t id) { places_.push_back({id, static_cast<int64_t>(places_.size())}); }
  void sort();

  std::vector<Place> places_;  // by id
  int64_t repeated_ = -1;
};

}  // namespace convoy
