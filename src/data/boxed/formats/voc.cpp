// Pascal VOC: a file of XML for each picture (boxes/voc_annotation.h, data/voc/voc_layout.h).
// Coordinates count from 1: a box from xmin to xmax covers the columns xmin - 1 to xmax. Difficult
// objects are not asked for in evaluation.
#include <fmt/core.h>

#include <algorithm>
#include <map>
#include <set>

#include "base/threads/cores.h"
#include "boxes/voc_annotation.h"
#include "data/boxed/described_pictures.h"
#include "data/boxed/picture_size.h"
#include "data/sources/data_file.h"
#include "data/voc/voc_layout.h"

namespace convoy {
namespace {

std::vector<SplitName> splits(const fs::path& dir) {
  std::vector<SplitName> found;
  for (const SplitName split : {SplitName::train, SplitName::val, SplitName::test}) {
    if (find_voc(dir, split)) found.push_back(split);
  }
  if (found.empty() && find_voc(dir, SplitName::whole)) found.push_back(SplitName::whole);
  return found;
}

// A picture with its annotation, of which the first may be missing, or the second.
struct Pair {
  std::string name;
  fs::path annotation;
  std::string picture;  // below the folder of pictures
  VocAnnotation read;   // if there are no faults
  std::vector<BoxFault> faults;
};

void read_annotation(Pair& pair) {
  VocRead read = parse_voc_annotation(read_file(pair.annotation, Fault::data));
  for (const VocProblem& problem : read.problems) {
    const std::string line = problem.line ? fmt::format(":{}", problem.line) : "";
    pair.faults.push_back({pair.annotation.string() + line, problem.what});
  }
  pair.read = std::move(read.annotation);
}

// All annotations of the folder, of any split: the classes of a split are those of all.
std::map<std::string, Pair> all_pairs(const fs::path& folder, int threads) {
  std::map<std::string, Pair> pairs;
  std::vector<Pair*> list;
  for (const VocFile& file : voc_annotation_files(folder)) {
    Pair& pair = pairs[file.name];
    pair.name = file.name;
    pair.annotation = folder / file.file;
    list.push_back(&pair);
  }
  ThreadPool pool(threads ? threads : available_cores());
  pool.run(static_cast<int>(list.size()), [&](int i, int) {
    Pair& pair = *list[static_cast<size_t>(i)];
    try {
      read_annotation(pair);
    } catch (const Error& error) {
      if (error.fault() != Fault::data) throw;
      pair.faults.push_back({pair.annotation.string(), error.what()});
    }
  });
  return pairs;
}

std::vector<CocoCategory> classes_of(const fs::path& dir, const fs::path& own,
                                     const std::map<std::string, Pair>& pairs, int threads) {
  std::vector<std::string> names = voc_class_list(dir);
  if (names.empty()) {
    std::set<std::string> found;
    const auto collect = [&](const std::map<std::string, Pair>& some) {
      for (const auto& [name, pair] : some) {
        for (const VocObject& object : pair.read.objects) found.insert(object.name);
      }
    };
    collect(pairs);
    for (const fs::path& folder : voc_annotation_folders(dir)) {
      if (folder != own) collect(all_pairs(folder, threads));
    }
    names.assign(found.begin(), found.end());
  }
  if (names.size() > most_coco_categories) {
    raise(Fault::data, "{} has {} classes, more than {}; try: fewer classes", own.string(),
          names.size(), most_coco_categories);
  }
  std::vector<CocoCategory> classes;
  for (std::string& name : names) classes.push_back({std::ssize(classes) + 1, std::move(name)});
  return classes;
}

BoxedObject object_of(const VocObject& from, int64_t category) {
  const double x = settled(from.xmin - 1), y = settled(from.ymin - 1);
  return {.x = x,
          .y = y,
          .width = settled(from.xmax - x),
          .height = settled(from.ymax - y),
          .area = 0,
          .category = category,
          .number = 0,
          .crowd = from.difficult,
          .is_usable = false};
}

// Joins the pictures with their annotations: those of the list, or all that have an annotation.
std::vector<Pair> pairs_of(const VocPlace& place, std::map<std::string, Pair> known) {
  std::map<std::string, std::vector<std::string>> pictures;  // by name
  for (const VocFile& file : voc_picture_files(place.pictures)) {
    pictures[file.name].push_back(file.file);
  }
  std::vector<std::string> names;
  if (place.list.empty()) {
    for (const auto& [name, pair] : known) names.push_back(name);
  } else {
    names = read_voc_list(place.list);
    std::ranges::sort(names);
    const auto repeated = std::ranges::unique(names);
    names.erase(repeated.begin(), repeated.end());
  }
  std::vector<Pair> pairs;
  for (const std::string& name : names) {
    const auto found = known.find(name);
    Pair pair = found == known.end() ? Pair{.name = name} : std::move(found->second);
    const std::vector<std::string>& files = pictures[name];
    if (found == known.end()) {
      pair.faults.push_back(
          {place.list.string(), fmt::format("{} has no annotation", name), BoxTrouble::missing});
    } else if (files.size() > 1) {
      pair.faults.push_back(
          {pair.annotation.string(), fmt::format("its picture is {} or {}", files[0], files[1])});
    } else if (files.size() == 1) {
      pair.picture = files[0];
    } else if (const fs::path named = fs::path(pair.read.file).filename();
               !named.empty() && is_there(place.pictures / named)) {
      pair.picture = named.string();
    } else {
      pair.faults.push_back({pair.annotation.string(),
                             fmt::format("its picture is not in {}", place.pictures.string()),
                             BoxTrouble::missing});
    }
    pairs.push_back(std::move(pair));
  }
  std::ranges::stable_sort(pairs, {}, &Pair::picture);
  return pairs;
}

class Describer {
 public:
  Describer(const VocPlace& place, const std::vector<CocoCategory>& classes, bool upright)
      : place_(place), upright_(upright) {
    for (const CocoCategory& one : classes) numbers_[one.name] = one.id;
  }

  void describe(const Pair& from, DescribedPicture& to) const {
    to.faults = from.faults;
    to.picture.file = from.picture;
    for (const VocObject& object : from.read.objects) {
      const auto number = numbers_.find(object.name);
      if (number == numbers_.end()) {
        to.faults.push_back({from.annotation.string(),
                             fmt::format("the class {:?} is not in labelmap.txt", object.name),
                             BoxTrouble::unknown_class});
        continue;
      }
      to.objects.push_back(object_of(object, number->second));
    }
    if (!to.faults.empty()) return;
    PictureSize size{from.read.width, from.read.height};
    if (size.width == 0 || size.height == 0) {
      size = size_of(read_picture_info((place_.pictures / from.picture).string()), upright_);
    }
    to.picture = {.id = 0, .width = size.width, .height = size.height, .file = from.picture};
  }

 private:
  const VocPlace& place_;
  bool upright_;
  std::map<std::string, int64_t> numbers_;
};

BoxedSplit read(const fs::path& dir, SplitName split, const BoxReading& how) {
  const VocPlace place = *find_voc(dir, split);
  std::map<std::string, Pair> known = all_pairs(place.annotations, how.threads);
  BoxedSplit made{.folder = place.pictures};
  made.categories = classes_of(dir, place.annotations, known, how.threads);
  const std::vector<Pair> pairs = pairs_of(place, std::move(known));
  const fs::path annotations = place.annotations;
  const Describer describer(place, made.categories, how.upright);
  made = described_split(
      std::move(made), std::ssize(pairs),
      [&](int64_t i, DescribedPicture& to) {
        describer.describe(pairs[static_cast<size_t>(i)], to);
      },
      how);
  // Only now: faults of the annotations can be the reason.
  if (made.categories.empty()) {
    raise(Fault::data, "{} has no objects; try: <object> with <name> and <bndbox>",
          annotations.string());
  }
  return made;
}

bool is_in(const fs::path& dir) { return !splits(dir).empty(); }

}  // namespace

BoxFormat voc_box_format() {
  return {
      .name = "voc", .upright = true, .slack = 1, .is_in = is_in, .splits = splits, .read = read};
}

}  // namespace convoy
