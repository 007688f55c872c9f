#include "data/sources/record_shards.h"

#include <charconv>
#include <map>
#include <optional>

namespace convoy {
namespace {

// A set of shards: <folder>/<prefix>-NNNNN-of-<count><ending>.
struct ShardSet {
  fs::path folder;
  std::string prefix, count, ending;
  auto operator<=>(const ShardSet&) const = default;

  std::string name(std::string_view number) const {
    return fmt::format("{}-{}-of-{}{}", prefix, number, count, ending);
  }
};

bool is_number(std::string_view text) {
  return text.size() == 5 && text.find_first_not_of("0123456789") == text.npos;
}

int number(std::string_view text) {
  int value = 0;
  std::from_chars(text.data(), text.data() + text.size(), value);
  return value;
}

// "train-00003-of-01024" is number 3 of a set.
std::optional<std::pair<ShardSet, int>> shard_of(const fs::path& path,
                                                 const std::vector<std::string>& prefixes) {
  const std::string name = path.filename().string();
  for (const std::string& prefix : prefixes) {
    const std::string_view rest =
        std::string_view(name).substr(std::min(name.size(), prefix.size()));
    if (!name.starts_with(prefix) || rest.size() < 15 || rest[0] != '-') continue;
    const std::string_view ending = rest.substr(15);
    if (!is_number(rest.substr(1, 5)) || rest.substr(6, 4) != "-of-" ||
        !is_number(rest.substr(10, 5)) ||
        !(ending.empty() || ending == ".tfrecord" || ending == ".tfrecords"))
      continue;
    const ShardSet set{path.parent_path(), prefix, std::string(rest.substr(10, 5)),
                       std::string(ending)};
    return std::pair{set, number(rest.substr(1, 5))};
  }
  return std::nullopt;
}

using ShardSets = std::map<ShardSet, std::map<int, fs::path>>;

void look(const fs::path& folder, const std::vector<std::string>& prefixes, ShardSets& found) {
  std::error_code code;
  for (fs::directory_iterator entry(folder, code), end; !code && entry != end;
       entry.increment(code)) {
    if (const auto shard = shard_of(entry->path(), prefixes))
      found[shard->first].emplace(shard->second, entry->path());
  }
}

std::vector<fs::path> complete(const ShardSet& set, const std::map<int, fs::path>& shards) {
  const int count = number(set.count);
  std::string missing;
  int missed = 0;
  for (int i = 0; i < count; ++i) {
    if (shards.contains(i)) continue;
    if (missed++ == 0) missing = set.name(fmt::format("{:05}", i));
  }
  if (missed > 0) {
    raise(Fault::data,
          "{}: {}{} is missing, {} of {} shards are there; try: fetch it, or convoy "
          "prepare imagenet",
          set.folder.string(), missing,
          missed > 1 ? fmt::format(" (and {} more)", missed - 1) : std::string(), count - missed,
          count);
  }
  std::vector<fs::path> paths;
  for (const auto& [i, path] : shards) {
    if (i >= count) {
      raise(Fault::data, "{} is number {} of {} shards; try: remove it if it belongs elsewhere",
            path.string(), i, count);
    }
    paths.push_back(path);
  }
  return paths;
}

}  // namespace

std::string shard_name(std::string_view prefix, int shard, int shards) {
  return fmt::format("{}-{:05}-of-{:05}", prefix, shard, shards);
}

std::vector<fs::path> record_shards(const fs::path& dir, bool train) {
  const std::vector<std::string> prefixes =
      train ? std::vector<std::string>{"train", "img_train", "imagenet_train_subset"}
            : std::vector<std::string>{"validation", "val", "img_val", "imagenet_val_subset"};
  for (const char* base : {"", "tf_records", "imagenet-data"}) {
    const fs::path folder = *base ? dir / base : dir;
    ShardSets found;
    look(folder, prefixes, found);
    for (const std::string& name : prefixes) look(folder / name, prefixes, found);
    if (found.size() > 1) {
      raise(Fault::data, "{} holds two sets of shards: {} and {}; try: move one of them away",
            folder.string(),
            (found.begin()->first.folder / found.begin()->first.name("*")).string(),
            (found.rbegin()->first.folder / found.rbegin()->first.name("*")).string());
    }
    if (!found.empty()) return complete(found.begin()->first, found.begin()->second);
  }
  return {};
}

}  // namespace convoy
