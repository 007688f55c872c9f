#include "data/classes/record_classes.h"

#include <algorithm>
#include <set>
#include <string_view>

#include "base/text/text.h"
#include "data/sources/data_file.h"
#include "records/example.h"

namespace convoy {
namespace {

constexpr int64_t most_records = 65536;
constexpr int64_t most_classes = 1 << 20;

}  // namespace

std::vector<std::string> read_class_list(const fs::path& file) {
  std::vector<std::string> names;
  std::set<std::string> known;
  int number = 0;
  for (const std::string& line : split(read_file(file, Fault::data), '\n')) {
    ++number;
    const size_t begin = line.find_first_not_of(" \t\r");
    if (begin == line.npos) continue;
    const size_t end = line.find_first_of(" \t\r", begin);
    std::string name = line.substr(begin, end == line.npos ? end : end - begin);
    if (!known.insert(name).second) {
      raise(Fault::data,
            "{}:{}: {} is there twice, so this is no list of classes; try: one line for each class",
            file.string(), number, name);
    }
    names.push_back(std::move(name));
  }
  if (names.empty()) raise(Fault::data, "{} names no class; try: one line for each", file.string());
  return names;
}

std::optional<std::vector<std::string>> find_class_list(const fs::path& dir) {
  for (const char* name : {"synsets.txt", "imagenet_lsvrc_2015_synsets.txt"}) {
    if (is_there(dir / name)) return read_class_list(dir / name);
  }
  return std::nullopt;
}

RecordClass class_of_record(std::string_view record, const std::string& origin) {
  const Example example(record, origin);
  RecordClass result{.label = example.integer("image/class/label"), .name = {}};
  if (result.label < 1 || result.label > most_classes) {
    raise(Fault::data, "{}: the label is {}; labels of ImageNet's records count from 1", origin,
          result.label);
  }
  result.name = example.bytes_or("image/class/synset", example.bytes_or("image/class/text", ""));
  return result;
}

std::vector<std::string> classes_in_records(
    int64_t records, ThreadPool& pool,
    const std::function<std::optional<RecordClass>(int64_t)>& glance,
    const std::function<std::optional<RecordClass>(int64_t)>& read) {
  const int64_t looks = std::min(records, most_records);
  const auto chosen = [&](int64_t look) { return look * records / looks; };
  std::vector<std::optional<RecordClass>> seen(static_cast<size_t>(looks));
  pool.run(static_cast<int>(looks),
           [&](int look, int) { seen[static_cast<size_t>(look)] = glance(chosen(look)); });

  // `glance` does not verify checksums, so each class is confirmed by one verified record.
  std::vector<std::string> names;
  std::set<int64_t> known;
  for (int64_t look = 0; look < looks; ++look) {
    const std::optional<RecordClass>& glanced = seen[static_cast<size_t>(look)];
    if (!glanced || known.contains(glanced->label)) continue;
    const std::optional<RecordClass> sound = read(chosen(look));
    if (!sound || !known.insert(sound->label).second) continue;
    for (auto label = static_cast<int64_t>(names.size()); label < sound->label; ++label)
      names.push_back(std::to_string(label + 1));
    if (!sound->name.empty()) names[static_cast<size_t>(sound->label - 1)] = sound->name;
  }
  return names;
}

}  // namespace convoy
