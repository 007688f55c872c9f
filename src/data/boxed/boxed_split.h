// One split of a set of pictures with objects, whatever the format of its files
// (data/boxed/box_format.h): each picture with its boxes, and the classes. Objects of an impossible
// size are kept, but marked: training and record files leave them out, evaluation counts them.
#pragma once

#include <cstdint>
#include <set>
#include <span>
#include <string>
#include <tuple>
#include <vector>

#include "base/files/file.h"
#include "boxes/box.h"
#include "boxes/coco_annotations.h"

namespace convoy {

struct BoxedObject {
  double x, y, width, height, area;  // in pixels of the picture; x, y: the upper left corner
  int64_t category;                  // its id
  int32_t number;                    // of the class, from 1 in the order of `categories`
  bool crowd;                        // many objects, or one that evaluation does not ask for
  bool is_usable;                    // its size is positive, and it lies inside the picture

  bool is_empty() const { return !(width > 0 && height > 0); }
};

struct BoxedPicture {
  int64_t id, width, height;
  std::string file;           // below the split's folder
  size_t begin = 0, end = 0;  // its objects
  int64_t usable = 0;         // of these
};

struct BoxedSplit {
  fs::path folder;                       // of the pictures
  std::vector<BoxedPicture> pictures;    // in the order of the annotations
  std::vector<BoxedObject> objects;      // picture after picture, in the order of the annotations
  std::vector<CocoCategory> categories;  // by id
  int64_t empty = 0, outside = 0;        // objects of no size; and those that go beyond the picture
  int64_t repeated = 0;                  // objects that were left out as exact repetitions

  std::span<const BoxedObject> objects_of(const BoxedPicture& picture) const {
    return std::span(objects).subspan(picture.begin, picture.end - picture.begin);
  }
  // Sets `empty`, `outside` and each picture's `usable` by the objects' is_usable.
  void count_unusable();
  // Pictures without a usable object.
  int64_t bare() const;
  // "12 boxes of no size, 3 boxes beyond their picture"; empty: there are none.
  std::string unusable() const;
};

// As fractions of the picture.
Box box_of(const BoxedObject& object, const BoxedPicture& picture);

// How far the object goes beyond the picture, in pixels; 0 or less: it does not.
double beyond(const BoxedObject& object, const BoxedPicture& picture);

// Sets is_usable: whether the size is positive and the box lies inside the picture.
void judge(BoxedObject& object, const BoxedPicture& picture);

// Cuts the box to the picture, then judges it: for formats of which coordinates are rounded.
// A box that does not touch the picture gets no size.
void cut_to_picture(BoxedObject& object, const BoxedPicture& picture);

// Finds exact repetitions among the objects of a picture.
class BoxesSeen {
 public:
  // False: an object with the same box and class was added before.
  bool add(const BoxedObject& object);

 private:
  std::set<std::tuple<double, double, double, double, int32_t, bool>> seen_;
};

// A coordinate in pixels that was computed from another unit: if it is within rounding errors of a
// number with four decimals, that number, so that what was written comes back as it was.
double settled(double pixels);

// The names of the categories, in their order; a category without a name gets its id.
std::vector<std::string> class_names_of(const std::vector<CocoCategory>& categories);

}  // namespace convoy
