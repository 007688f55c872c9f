#include "train/run/data_record.h"

#include <nlohmann/json.hpp>

#include "base/text/json.h"
#include "base/text/json_text.h"
#include "base/text/some_of.h"
#include "base/text/text.h"

namespace convoy {
namespace {

constexpr size_t told_names = 3;  // how many of a longer list a message names

using Sizes = std::map<std::string, uint64_t>;  // by split and name

constexpr int64_t most_pictures = 250'000;

bool is_recorded(const RunSetup& setup) {
  return setup.config.data.def().has_pictures &&
         setup.train_set->size() + setup.eval_set->size() <= most_pictures;
}

template <class Take>
void for_each_picture(const RunSetup& setup, const Take& take) {
  const auto all_of = [&](const char* split, const Dataset& data) {
    for (int64_t i = 0; i < data.size(); ++i) {
      const KeptSample sample = data.kept(i);
      take(fmt::format("{}/{}", split, sample.name), sample.bytes);
    }
  };
  all_of("train", *setup.train_set);
  all_of("val", *setup.eval_set);
}

Sizes read_record(const fs::path& file) {
  Sizes sizes;
  const std::string text = read_file(file, Fault::checkpoint);
  size_t number = 0;
  for (const std::string& line : split(text, '\n')) {
    ++number;
    if (line.empty()) continue;
    try {
      const nlohmann::json one = parse_json(line);
      sizes.emplace(one.at("name").get<std::string>(), one.at("bytes").get<uint64_t>());
    } catch (const std::exception&) {  // JsonError or a missing field
      raise(Fault::checkpoint, "{}:{}: is no line of a run's record; try: a copy of the file",
            file.string(), number);
    }
  }
  return sizes;
}

}  // namespace

void record_data(const fs::path& file, const RunSetup& setup) {
  if (!is_recorded(setup)) return;
  std::string text;
  for_each_picture(setup, [&](const std::string& name, uint64_t bytes) {
    text += json_text(nlohmann::ordered_json{{"name", name}, {"bytes", bytes}}) + "\n";
  });
  write_atomically(file, text, Fault::checkpoint);
}

namespace {

// In an unsplit folder there is no folder `train`: the file of `train/dog/1.jpg` is dog/1.jpg.
std::string as_it_lies(const std::string& name, const RunSetup& setup) {
  return setup.config.data.val_share > 0 ? name.substr(name.find('/') + 1) : name;
}

}  // namespace

void expect_recorded_data(const fs::path& file, const RunSetup& setup) {
  std::error_code ignored;
  if (!is_recorded(setup) || !fs::exists(file, ignored)) return;
  Sizes before = read_record(file);
  const size_t all = before.size();
  std::vector<std::string> added, changed;
  for_each_picture(setup, [&](const std::string& name, uint64_t bytes) {
    // Compare with the name as written: invalid UTF-8 is replaced in the file.
    const std::string written = parse_json(json_text(name)).get<std::string>();
    const auto found = before.find(written);
    if (found == before.end()) {
      added.push_back(as_it_lies(name, setup));
      return;
    }
    if (found->second != bytes) changed.push_back(as_it_lies(name, setup));
    before.erase(found);
  });
  const std::string where = setup.config.data.data_dir;
  const auto refuse = [&](size_t count, const char* what, const std::vector<std::string>& names,
                          const char* advice) {
    raise(Fault::data, "{} of the {} pictures of this run {} in {} ({}); try: {}", count, all, what,
          where, some_of(names, told_names), advice);
  };
  if (!before.empty()) {
    std::vector<std::string> gone;
    for (const auto& [name, bytes] : before) gone.push_back(as_it_lies(name, setup));
    refuse(gone.size(), gone.size() == 1 ? "is gone" : "are gone", gone,
           "put them back, --data-dir where they are now, or a new run with --init-from this one");
  }
  if (!added.empty()) {
    raise(Fault::data,
          "{} picture{} in {} {} new since this run began ({}), and would change every later step; "
          "try: move the new ones away, or a new run with --init-from this one",
          added.size(), added.size() == 1 ? "" : "s", where, added.size() == 1 ? "is" : "are",
          some_of(added, told_names));
  }
  if (!changed.empty()) {
    refuse(changed.size(),
           changed.size() == 1 ? "has another size than before" : "have another size than before",
           changed, "the files as they were, or a new run with --init-from this one");
  }
}

}  // namespace convoy
