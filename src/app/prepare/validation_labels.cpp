#include "app/prepare/validation_labels.h"

#include <algorithm>
#include <map>
#include <sstream>

#include "base/error.h"
#include "base/text/text.h"
#include "data/sources/data_file.h"

namespace convoy {
namespace {

struct Line {
  int number = 0;
  std::vector<std::string> words;
};

std::vector<Line> lines_of(const fs::path& list) {
  std::vector<Line> lines;
  int number = 0;
  for (std::string text : split(read_file(list, Fault::data), '\n')) {
    Line line{.number = ++number, .words = {}};
    std::ranges::replace(text, ',', ' ');
    std::istringstream words(text);
    for (std::string word; words >> word;) line.words.push_back(word);
    const bool is_header = number == 1 && !line.words.empty() && line.words[0] == "ImageId";
    if (!line.words.empty() && !is_header) lines.push_back(std::move(line));
  }
  return lines;
}

void check_class(const fs::path& list, int number, const std::string& name) {
  if (name.find_first_not_of("0123456789") != name.npos) return;
  raise(Fault::data,
        "{}:{}: {} is a number, whose list of classes is unknown; try: a list of synsets, as "
        "imagenet_2012_validation_synset_labels.txt or LOC_val_solution.csv",
        list.string(), number, name);
}

std::string stem(const std::string& name) { return fs::path(name).stem().string(); }

}  // namespace

void apply_labels(const fs::path& list, std::vector<RawPicture>& pictures) {
  const std::vector<Line> lines = lines_of(list);
  if (lines.size() != pictures.size()) {
    raise(Fault::data, "{} is about {} pictures, but there are {}; try: the list of this set",
          list.string(), lines.size(), pictures.size());
  }
  const bool in_order = !lines.empty() && lines[0].words.size() == 1;
  std::ranges::sort(pictures, {}, &RawPicture::name);
  std::map<std::string, const Line*> by_name;
  for (size_t i = 0; i < lines.size(); ++i) {
    const Line& line = lines[i];
    if (in_order != (line.words.size() == 1)) {
      raise(Fault::data, "{}:{}: some lines name a picture, and some do not", list.string(),
            line.number);
    }
    check_class(list, line.number, line.words[in_order ? 0 : 1]);
    if (in_order) {
      pictures[i].class_name = line.words[0];
    } else if (!by_name.emplace(stem(line.words[0]), &line).second) {
      raise(Fault::data, "{}:{}: {} is there twice", list.string(), line.number, line.words[0]);
    }
  }
  if (!in_order) {
    for (RawPicture& picture : pictures) {
      const auto found = by_name.find(stem(picture.name));
      if (found == by_name.end())
        raise(Fault::data, "{} does not name {}", list.string(), picture.path());
      picture.class_name = found->second->words[1];
    }
  }
  sort_raw(pictures);
}

std::optional<fs::path> find_labels(const fs::path& folder) {
  for (const char* name : {"imagenet_2012_validation_synset_labels.txt", "synset_labels.txt",
                           "LOC_val_solution.csv"}) {
    if (is_there(folder / name)) return folder / name;
  }
  return std::nullopt;
}

}  // namespace convoy
