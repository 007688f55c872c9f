// Labelled pictures as they are kept: encoded, each of its own size. A source is read by several
// threads at once, in any order.
#pragma once

#include <cstdint>
#include <string>
#include <vector>

#include "data/kept_sample.h"

namespace convoy {

// Where an object is, in parts of the picture's height and width.
struct Box {
  float ymin, xmin, ymax, xmax;
};

struct EncodedPicture {
  std::string bytes;  // the whole file
  int32_t label = 0;  // in [0, class_names().size())
  std::vector<Box> boxes;
};

class PictureSource {
 public:
  virtual ~PictureSource() = default;

  virtual int64_t size() const = 0;
  virtual std::vector<std::string> class_names() const = 0;
  // Pictures of each class; empty when only reading all of them would tell.
  virtual std::vector<int64_t> class_counts() const { return {}; }

  // Picture `index` in [0, size()). Reuses the memory of `picture`. What cannot be read is
  // Fault::data, with `origin(index)` in the message.
  virtual void read(int64_t index, EncodedPicture& picture) const = 0;

  // Where the picture is, for messages: a path, or a record file and the offset in it.
  virtual std::string origin(int64_t index) const = 0;

  // The same in every copy of the set; reads no picture.
  virtual KeptSample kept(int64_t index) const { return {origin(index), 0}; }

  // The picture will be read soon.
  virtual void expect_read(int64_t index) const { (void)index; }

  // How many neighbours should be read together, so that large files are read in long runs.
  virtual int64_t run_length() const { return 1; }
};

}  // namespace convoy
