// Definition of a format of pictures with boxes. Each file in data/boxed/formats/ defines one:
// `BoxFormat <stem>_box_format()`. All formats give the same: a BoxedSplit.
#pragma once

#include <memory>
#include <string_view>
#include <vector>

#include "base/text/words.h"
#include "data/boxed/box_faults.h"
#include "data/boxed/boxed_split.h"

namespace convoy {

// whole: the folder has no splits.
enum class SplitName { train, val, test, whole };
constexpr auto words_of(SplitName) { return words<SplitName>("train", "val", "test", "all"); }

struct BoxReading {
  BoxFaultTaker& faults;
  bool upright = false;  // boxes are about pictures turned by their EXIF data
  // Boxes that go beyond their picture are not cut to it, and exact repetitions are kept.
  bool as_written = false;
  int threads = 0;  // 0: one for each core; changes no result
};

struct BoxFormat {
  std::string_view name;
  bool upright = false;  // boxes usually are about pictures turned by their EXIF data
  // How far boxes go beyond their pictures by rounding alone, in pixels. They are cut to them.
  double slack = 0;
  // Whether the folder looks like a set of this format. Raises nothing.
  bool (*is_in)(const fs::path& dir) = nullptr;
  // The splits that the folder has in this format; empty: it is of another format. `whole` is alone
  // if it is there. A description of splits that cannot be read is Fault::data.
  std::vector<SplitName> (*splits)(const fs::path& dir) = nullptr;
  // Reads a split that is there, and checks it: an annotation file that cannot be read at all is
  // Fault::data; a picture with faults goes to `how.faults`. Two pictures never have the same name.
  BoxedSplit (*read)(const fs::path& dir, SplitName split, const BoxReading& how) = nullptr;
};

const std::vector<BoxFormat>& box_format_catalog();

// Fault::usage if there is none of this name.
const BoxFormat& find_box_format(std::string_view name);

// The format of a folder; null: none. A folder that fits several is of the first: COCO, VOC, YOLO.
const BoxFormat* recognise_boxes(const fs::path& dir);

// Which pictures of a folder to read.
struct BoxSelection {
  bool train = true;
  // Of evaluation: "test" prefers that split, "val" never takes it; empty: val, else test.
  std::string held_out;
  // Above 0: for folders without val and test, which pictures are for evaluation follows from
  // their names (data/sources/val_share.h).
  double val_share = 0;
};

// A folder that lacks the split is Fault::data; a share of a folder that is split, Fault::usage.
BoxedSplit read_boxes(const BoxFormat& format, const fs::path& dir, const BoxSelection& wanted,
                      const BoxReading& how);

// The pictures of `all` that are for evaluation, or the others.
BoxedSplit share_of(const BoxedSplit& all, bool train, double val_share);

}  // namespace convoy
