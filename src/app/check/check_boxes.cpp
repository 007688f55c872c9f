#include "app/check/check_boxes.h"

#include <fmt/core.h>

#include <algorithm>
#include <set>

#include "base/error.h"
#include "base/files/folder.h"
#include "data/boxed/picture_size.h"
#include "data/sources/data_file.h"
#include "data/sources/folder_source.h"

namespace convoy {
namespace {

// Of COCO, in square pixels.
constexpr double small_area = 32 * 32, medium_area = 96 * 96;

// In the order in which they are listed.
const std::vector<FindingKind> box_kinds{
    {"annotations", "annotations that cannot be read", true, {}},
    {"unknown_classes", "boxes of unknown classes", true, {}},
    {"missing", "pictures or annotations that are not there", true, {}},
    {"other_sizes", "of another size than their annotations say", true, {}},
    {"outside", "boxes that go beyond their picture", true, {}},
    {"empty_boxes", "boxes of no size", true, {}},
    {"no_objects", "splits without a usable box", true, {}},
    {"repeated_boxes", "boxes that repeat another one exactly", false, {}},
    {"unused_classes", "classes without a box", false, {}},
    {"unlisted", "pictures of no split", false, {}}};

std::string text_of(const BoxedObject& o, const std::string& class_name) {
  return fmt::format("{} at {:g}, {:g}, {:g} x {:g}", class_name, o.x, o.y, o.width, o.height);
}

}  // namespace

// Collects faults in place of raising them.
class CollectBoxFaults final : public BoxFaultTaker {
 public:
  struct Taken {
    std::string picture;
    BoxFault fault;
  };
  void take(const std::string& picture, const std::vector<BoxFault>& faults) override {
    for (const BoxFault& fault : faults) taken.push_back({picture, fault});
  }
  std::vector<Taken> taken;
};

BoxCheck::BoxCheck(const BoxFormat& format, const fs::path& dir, int threads)
    : format_(format), tree_{.root = dir}, kinds_(box_kinds) {
  try {
    for (const SplitName split : format.splits(dir)) read_split(split, threads);
  } catch (const Error& error) {  // of what describes the splits
    if (error.fault() != Fault::data) throw;
    add("annotations", {format.name == "yolo" ? "data.yaml" : "", "", shortened(error.what())});
  }
  list_pictures();
  find_unlisted();
  for (const Split& split : splits_) look_at(split);
}

void BoxCheck::add(std::string_view kind, Finding finding) {
  std::ranges::find(kinds_, kind, &FindingKind::key)->found.push_back(std::move(finding));
}

std::string BoxCheck::inside(const fs::path& path) const {
  return shortened(path.lexically_normal().string());
}

// A path, or a message that begins with one, without the folder that is checked.
std::string BoxCheck::shortened(std::string text) const {
  const std::string front = (tree_.root / "").lexically_normal().string();
  if (text.starts_with(front)) text.erase(0, front.size());
  return text;
}

void BoxCheck::read_split(SplitName split, int threads) {
  CollectBoxFaults faults;
  const std::string name(word_of(split));
  try {
    BoxedSplit read = format_.read(
        tree_.root, split,
        {.faults = faults, .upright = format_.upright, .as_written = true, .threads = threads});
    splits_.push_back({name, std::move(read)});
  } catch (const Error& error) {
    if (error.fault() != Fault::data) throw;
    if (faults.taken.empty()) add("annotations", {name, "", shortened(error.what())});
  }
  for (const auto& [picture, fault] : faults.taken) {
    const std::string_view kind = fault.trouble == BoxTrouble::unknown_class ? "unknown_classes"
                                  : fault.trouble == BoxTrouble::missing     ? "missing"
                                                                             : "annotations";
    if (!picture.empty()) faulty_.push_back(inside(picture));
    if (fault.where.empty()) {
      add(kind, {inside(picture), "", shortened(fault.what)});
    } else {
      add(kind, {inside(fault.where), "", fault.what});
    }
  }
}

void BoxCheck::list_pictures() {
  for (const Split& split : splits_) {
    tree_.splits.push_back(split.name);
    for (const BoxedPicture& picture : split.read.pictures) {
      const fs::path path = split.read.folder / picture.file;
      if (is_there(path)) {
        tree_.files.push_back({.path = inside(path), .split = split.name, .label = ""});
      } else {
        add("missing", {inside(path), "", "in the annotations of " + split.name});
      }
    }
  }
  for (const std::string& path : faulty_) {
    if (is_there(tree_.root / path)) {
      tree_.files.push_back(
          {.path = path, .split = tree_.splits.empty() ? "" : tree_.splits[0], .label = ""});
    }
  }
  if (tree_.splits.empty()) tree_.splits.emplace_back();
  std::ranges::stable_sort(tree_.files, {}, &TreeFile::path);
}

void BoxCheck::find_unlisted() {
  std::set<std::string_view> listed;
  for (const TreeFile& file : tree_.files) listed.insert(file.path);
  for (const fs::path& path : files_below(tree_.root, Fault::data)) {
    const std::string name = inside(path);
    if (names_picture(path) && !listed.contains(name)) add("unlisted", {name, "", ""});
  }
}

void BoxCheck::look_at(const Split& split) {
  const std::vector<std::string> classes = class_names_of(split.read.categories);
  BoxCounts counts{.split = split.name};
  std::vector<int64_t> of_class(classes.size());
  for (const BoxedPicture& picture : split.read.pictures) {
    BoxesSeen seen;
    const std::string path = inside(split.read.folder / picture.file);
    ++counts.pictures;
    counts.without_boxes += picture.begin == picture.end;
    for (const BoxedObject& o : split.read.objects_of(picture)) {
      const auto place = static_cast<size_t>(o.number) - 1;
      const std::string text = text_of(o, classes[place]);
      ++counts.boxes;
      ++of_class[place];
      counts.crowds += o.crowd;
      const double area = o.width * o.height;
      ++(area <= small_area ? counts.small : area <= medium_area ? counts.medium : counts.large);
      if (o.is_empty()) {
        add("empty_boxes", {path, "", text});
      } else if (beyond(o, picture) > format_.slack) {
        add("outside",
            {path, "", fmt::format("{}, in {} x {}", text, picture.width, picture.height)});
      }
      if (!seen.add(o)) add("repeated_boxes", {path, "", text});
    }
  }
  for (size_t i = 0; i < classes.size(); ++i) {
    counts.classes.emplace_back(classes[i], of_class[i]);
    if (of_class[i] == 0) add("unused_classes", {split.name + "/" + classes[i], "", ""});
  }
  if (split.read.bare() == std::ssize(split.read.pictures)) add("no_objects", {split.name, "", ""});
  counts_.push_back(std::move(counts));
}

void BoxCheck::compare_sizes(const Split& split, const std::vector<CheckedFile>& files) {
  for (const BoxedPicture& picture : split.read.pictures) {
    const std::string path = inside(split.read.folder / picture.file);
    const auto found = std::ranges::lower_bound(
        files, path, {},
        [](const CheckedFile& file) -> const std::string& { return file.file.path; });
    if (found == files.end() || found->file.path != path || !found->is_sound()) continue;
    const PictureSize wanted{picture.width, picture.height};
    const PictureSize size = size_of(found->info, format_.upright);
    if (size == wanted) continue;
    const bool is_turned = size_of(found->info, !format_.upright) == wanted;
    add("other_sizes", {path, "",
                        fmt::format("{} x {}, annotated {} x {}{}", size.width, size.height,
                                    wanted.width, wanted.height,
                                    !is_turned        ? ""
                                    : format_.upright ? "; try: --exif-turn false"
                                                      : "; try: --exif-turn true")});
  }
}

void BoxCheck::add_to(Findings& findings, const std::vector<CheckedFile>& files) {
  for (const Split& split : splits_) compare_sizes(split, files);
  findings.boxes = counts_;
  findings.kinds.insert(findings.kinds.end(), kinds_.begin(), kinds_.end());
}

}  // namespace convoy
