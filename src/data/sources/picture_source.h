// Labelled pictures as stored: encoded, each of its own size. Several threads read a source at
// once, in any order.
#pragma once

#include <cstdint>
#include <string>
#include <vector>

#include "boxes/box.h"
#include "data/kept_sample.h"

namespace convoy {

// The objects of a picture, as its annotations describe them (data/objects.h).
struct PictureObjects {
  std::vector<int32_t> classes;   // of each box, from 1: class_names()[0] is number 1
  std::vector<double> truth;      // rows of object_tensor::truth_columns
  int64_t image_id = 0;           // in the annotations
  int64_t width = 0, height = 0;  // that the picture must have
};

struct EncodedPicture {
  std::string bytes;  // the whole file
  int32_t label = 0;  // in [0, class_names().size()); unused with objects
  std::vector<Box> boxes;
  PictureObjects objects;  // only of sources that have them
};

class PictureSource {
 public:
  virtual ~PictureSource() = default;

  virtual int64_t size() const = 0;
  virtual std::vector<std::string> class_names() const = 0;
  // Pictures of each class; empty if this is known only after reading all pictures.
  virtual std::vector<int64_t> class_counts() const { return {}; }

  // Whether pictures have objects in place of a label.
  virtual bool has_objects() const { return false; }
  // What of the data is not used, for the user; empty: nothing.
  virtual std::string remark() const { return ""; }

  // All pictures decoded, with four bytes for a pixel; 0: not known without reading them.
  virtual int64_t decoded_bytes() const { return 0; }

  // Reads picture `index` in [0, size()). Reuses the memory of `picture`. A failure is Fault::data,
  // with `origin(index)` in the message.
  virtual void read(int64_t index, EncodedPicture& picture) const = 0;

  // Where the picture is, for messages: a path, or a record file and an offset.
  virtual std::string origin(int64_t index) const = 0;

  // The same in every copy of the set; reads no picture.
  virtual KeptSample kept(int64_t index) const { return {origin(index), 0}; }

  // Hint: the picture will be read soon.
  virtual void announce_read(int64_t index) const { (void)index; }

  // How many neighbours to read together, so that large files are read in long ranges.
  virtual int64_t run_length() const { return 1; }
};

}  // namespace convoy
