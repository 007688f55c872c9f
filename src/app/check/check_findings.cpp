#include "app/check/check_findings.h"

#include <fmt/core.h>

#include <algorithm>
#include <unordered_map>

#include "base/text/text.h"
#include "data/sources/folder_source.h"

namespace convoy {
namespace {

constexpr int64_t small_side = 32;  // pixels

// In the order in which they are listed.
const std::vector<FindingKind> all_kinds{
    {"broken", "broken", true, {}},
    {"cut_off", "without their end", true, {}},
    {"circles", "links that lead in a circle", true, {}},
    {"empty_classes", "classes without a picture", true, {}},
    {"unmatched_classes", "classes of one split alone", true, {}},
    {"across_splits", "in two splits", true, {}},
    {"duplicates", "twice in one split", false, {}},
    {"endings", "named otherwise than they are", false, {}},
    {"no_pictures", "other files", false, {}},
    {"unlabelled", "pictures outside of class folders", false, {}},
    {"remarks", "remarks of the decoder", false, {}},
    {"trailing", "with something behind their end", false, {}},
    {"small", "very small", false, {}},
    {"turned", "turned by EXIF", false, {}},
    {"cmyk", "CMYK", false, {}},
    {"sixteen_bit", "16 bits a colour", false, {}},
    {"grey", "greyscale", false, {}}};

class Finder {
 public:
  Finder(const Tree& tree, const std::vector<CheckedFile>& files) : tree_(tree), files_(files) {
    result_.kinds = all_kinds;
  }

  Findings run() {
    for (const ClassFolder& folder : tree_.classes) result_.counts[folder.split][folder.label] = 0;
    for (const std::string& split : tree_.splits) result_.counts[split];
    for (const std::string& link : tree_.circles) add("circles", {link, "", ""});
    for (const CheckedFile& f : files_) look_at(f);
    find_equal();
    find_classes();
    return std::move(result_);
  }

 private:
  void add(std::string_view kind, Finding finding) {
    const auto at = std::ranges::find(result_.kinds, kind, &FindingKind::key);
    at->found.push_back(std::move(finding));
  }

  void look_at(const CheckedFile& f) {
    const std::string& path = f.file.path;
    ++result_.files;
    result_.bytes += f.bytes;
    if (!f.is_picture) return add("no_pictures", {path, "", ""});
    ++result_.pictures;
    const bool is_seen = f.file.records || names_picture(path);  // whether training reads it
    if (is_seen && !f.file.label.empty()) ++result_.counts[f.file.split][f.file.label];
    const bool is_unlabelled = f.file.label.empty() && !f.file.records;
    if (is_unlabelled && !tree_.classes.empty()) add("unlabelled", {path, "", ""});
    if (!f.broken.empty()) return add("broken", {path, "", f.broken});
    const PictureInfo& info = f.info;
    if (!f.file.records && !ending_fits(path, info.format)) {
      add("endings", {path, "",
                      fmt::format("a {} file{}", name(info.format),
                                  is_seen ? "" : ", which training leaves out")});
    }
    if (!f.has_end) {
      const bool is_png = info.format == PictureFormat::png;
      add("cut_off", {path, "", is_png ? "no IEND chunk" : "no EOI marker"});
    }
    if (f.behind_end > 0) add("trailing", {path, "", with_commas(f.behind_end) + " bytes"});
    if (!f.remarks.empty()) add("remarks", {path, "", join(f.remarks, ", ")});
    if (std::min(info.width, info.height) < small_side) {
      add("small", {path, "", fmt::format("{}x{}", info.width, info.height)});
    }
    if (info.orientation != 1) {
      add("turned", {path, "", fmt::format("orientation {}", info.orientation)});
    }
    if (info.cmyk) add("cmyk", {path, "", ""});
    if (info.bits > 8) add("sixteen_bit", {path, "", ""});
    if (info.components <= 2 && !info.palette) add("grey", {path, "", ""});
  }

  // Compares pixels, since equal files have equal pixels. Each file is compared with the first
  // equal one of each split.
  void find_equal() {
    std::unordered_map<uint64_t, std::vector<const CheckedFile*>> firsts;
    for (const CheckedFile& f : files_) {
      const bool is_outside = f.file.split.empty() && !tree_.splits.front().empty();
      if (!f.is_sound() || is_outside) continue;
      auto& known = firsts[f.pixel_hash];
      const auto same_split = std::find_if(known.begin(), known.end(), [&](const CheckedFile* k) {
        return k->file.split == f.file.split;
      });
      if (same_split != known.end()) {
        add("duplicates", equal(f, **same_split));
        continue;
      }
      if (!known.empty()) add("across_splits", equal(f, *known.front()));
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

  void find_classes() {
    const auto train =
        std::find_if(result_.counts.begin(), result_.counts.end(),
                     [](const auto& split) { return is_training_split(split.first); });
    for (const auto& [split, classes] : result_.counts) {
      for (const auto& [label, count] : classes) {
        if (count == 0) add("empty_classes", {split.empty() ? label : split + "/" + label, "", ""});
      }
      if (train == result_.counts.end() || split == train->first) continue;
      if (split == "test" && classes.empty()) continue;  // test sets often have no classes
      if (classes.empty() != train->second.empty()) {
        const auto& [without, with] =
            classes.empty() ? std::pair(split, train->first) : std::pair(train->first, split);
        add("unmatched_classes", {without, "", "no class folders, but " + with + " has some"});
        continue;
      }
      find_missing(split, classes, train->first, train->second);
      find_missing(train->first, train->second, split, classes);
    }
  }
  void find_missing(const std::string& split, const Classes& classes, const std::string& other,
                    const Classes& others) {
    for (const auto& [label, count] : classes) {
      if (!others.contains(label))
        add("unmatched_classes", {split + "/" + label, "", "not in " + other});
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
