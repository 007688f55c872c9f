#include "app/check/check_findings.h"

#include <fmt/core.h>

#include <algorithm>
#include <unordered_map>

#include "base/text/text.h"
#include "data/sources/folder_source.h"

namespace convoy {
namespace {

constexpr int64_t small_side = 32;  // pixels

class Finder {
 public:
  Finder(const Tree& tree, const std::vector<CheckedFile>& files) : tree_(tree), files_(files) {}

  Findings run() {
    // Listed in this order. Space is reserved, so references to elements stay valid.
    auto& kinds = result_.kinds;
    kinds.reserve(20);
    const auto kind = [&](const char* key, const char* title, bool is_wrong) -> Found& {
      return kinds.emplace_back(FindingKind{key, title, is_wrong, {}}).found;
    };
    Found& broken = kind("broken", "broken", true);
    Found& cut_off = kind("cut_off", "without their end", true);
    Found& circles = kind("circles", "links that lead in a circle", true);
    Found& empty = kind("empty_classes", "classes without a picture", true);
    Found& unmatched = kind("unmatched_classes", "classes of one split alone", true);
    Found& leaks = kind("across_splits", "in two splits", true);
    Found& duplicates = kind("duplicates", "twice in one split", false);
    Found& endings = kind("endings", "named otherwise than they are", false);
    Found& strangers = kind("no_pictures", "other files", false);
    Found& unlabelled = kind("unlabelled", "pictures outside of class folders", false);
    Found& remarks = kind("remarks", "remarks of the decoder", false);
    Found& trailing = kind("trailing", "with something behind their end", false);
    Found& small = kind("small", "very small", false);
    Found& turned = kind("turned", "turned by EXIF", false);
    Found& cmyk = kind("cmyk", "CMYK", false);
    Found& sixteen = kind("sixteen_bit", "16 bits a colour", false);
    Found& grey = kind("grey", "greyscale", false);

    for (const ClassFolder& folder : tree_.classes) result_.counts[folder.split][folder.label] = 0;
    for (const std::string& split : tree_.splits) result_.counts[split];
    for (const std::string& link : tree_.circles) circles.push_back({link, "", ""});
    for (const CheckedFile& f : files_) {
      const std::string& path = f.file.path;
      ++result_.files;
      result_.bytes += f.bytes;
      if (!f.is_picture) {
        strangers.push_back({path, "", ""});
        continue;
      }
      ++result_.pictures;
      const bool is_seen = f.file.records || names_picture(path);  // whether training reads it
      if (is_seen && !f.file.label.empty()) ++result_.counts[f.file.split][f.file.label];
      const bool is_unlabelled = f.file.label.empty() && !f.file.records;
      if (is_unlabelled && !tree_.classes.empty()) unlabelled.push_back({path, "", ""});
      if (!f.broken.empty()) {
        broken.push_back({path, "", f.broken});
        continue;
      }
      const PictureInfo& info = f.info;
      if (!f.file.records && !ending_fits(path, info.format)) {
        endings.push_back({path, "",
                           fmt::format("a {} file{}", name(info.format),
                                       is_seen ? "" : ", which training leaves out")});
      }
      if (!f.has_end) {
        const bool is_png = info.format == PictureFormat::png;
        cut_off.push_back({path, "", is_png ? "no IEND chunk" : "no EOI marker"});
      }
      if (f.behind_end > 0) {
        trailing.push_back({path, "", with_commas(f.behind_end) + " bytes"});
      }
      if (!f.remarks.empty()) remarks.push_back({path, "", join(f.remarks, ", ")});
      if (std::min(info.width, info.height) < small_side) {
        small.push_back({path, "", fmt::format("{}x{}", info.width, info.height)});
      }
      if (info.orientation != 1) {
        turned.push_back({path, "", fmt::format("orientation {}", info.orientation)});
      }
      if (info.cmyk) cmyk.push_back({path, "", ""});
      if (info.bits > 8) sixteen.push_back({path, "", ""});
      if (info.components <= 2 && !info.palette) grey.push_back({path, "", ""});
    }
    find_equal(leaks, duplicates);
    find_classes(empty, unmatched);
    return std::move(result_);
  }

 private:
  using Found = std::vector<Finding>;

  // Compares pixels, since equal files have equal pixels. Each file is compared with the first
  // equal one of each split.
  void find_equal(Found& leaks, Found& duplicates) const {
    std::unordered_map<uint64_t, std::vector<const CheckedFile*>> firsts;
    for (const CheckedFile& f : files_) {
      const bool is_outside = f.file.split.empty() && !tree_.splits.front().empty();
      if (!f.is_sound() || is_outside) continue;
      auto& known = firsts[f.pixel_hash];
      const auto same_split = std::find_if(known.begin(), known.end(), [&](const CheckedFile* k) {
        return k->file.split == f.file.split;
      });
      if (same_split != known.end()) {
        duplicates.push_back(equal(f, **same_split));
        continue;
      }
      if (!known.empty()) leaks.push_back(equal(f, *known.front()));
      known.push_back(&f);
    }
  }
  static Finding equal(const CheckedFile& f, const CheckedFile& other) {
    const bool same_bytes = f.hash == other.hash && f.bytes == other.bytes;
    std::string how = same_bytes ? "the same bytes" : "the same pixels";
    if (f.file.label != other.file.label) how += ", another class";
    return {f.file.path, other.file.path, how};
  }

  using Classes = std::map<std::string, int64_t>;

  void find_classes(Found& empty, Found& unmatched) const {
    const auto train =
        std::find_if(result_.counts.begin(), result_.counts.end(),
                     [](const auto& split) { return is_training_split(split.first); });
    for (const auto& [split, classes] : result_.counts) {
      for (const auto& [label, count] : classes) {
        if (count == 0) empty.push_back({split.empty() ? label : split + "/" + label, "", ""});
      }
      if (train == result_.counts.end() || split == train->first) continue;
      if (split == "test" && classes.empty()) continue;  // test sets often have no classes
      if (classes.empty() != train->second.empty()) {
        const auto& [without, with] =
            classes.empty() ? std::pair(split, train->first) : std::pair(train->first, split);
        unmatched.push_back({without, "", "no class folders, but " + with + " has some"});
        continue;
      }
      find_missing(split, classes, train->first, train->second, unmatched);
      find_missing(train->first, train->second, split, classes, unmatched);
    }
  }
  static void find_missing(const std::string& split, const Classes& classes,
                           const std::string& other, const Classes& others, Found& unmatched) {
    for (const auto& [label, count] : classes) {
      if (!others.contains(label))
        unmatched.push_back({split + "/" + label, "", "not in " + other});
    }
  }

  const Tree& tree_;
  const std::vector<CheckedFile>& files_;
  Findings result_;
};

}  // namespace

bool Findings::anything_wrong() const {
  return std::any_of(kinds.begin(), kinds.end(),
                     [](const FindingKind& kind) { return kind.is_wrong && !kind.found.empty(); });
}

Findings find_out(const Tree& tree, const std::vector<CheckedFile>& files) {
  return Finder(tree, files).run();
}

}  // namespace convoy
