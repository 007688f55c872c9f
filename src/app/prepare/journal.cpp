#include "app/prepare/journal.h"

#include <fcntl.h>
#include <unistd.h>

#include <nlohmann/json.hpp>

#include "base/error.h"
#include "base/folder.h"
#include "base/json_text.h"
#include "base/text.h"
#include "data/data_file.h"

namespace convoy {
namespace {

using Json = nlohmann::ordered_json;

fs::path made(const fs::path& folder) {
  make_folders(folder, Fault::usage);
  return folder;
}

bool holds_nothing(const fs::path& folder) { return folder_entries(folder, Fault::usage).empty(); }

std::string text_of(const Json& json) { return json_text(json, 1); }

struct Earlier {
  std::string what;
  bool was_finished;
};

// What an earlier run said it makes, and whether it did.
Earlier earlier(const fs::path& file) {
  try {
    const Json all = Json::parse(read_file(file, Fault::usage));
    return {text_of(all.at("made_of")), all.contains("result")};
  } catch (const Json::exception&) {
    raise(Fault::usage, "{} is damaged; try: another --output, or remove the folder",
          file.string());
  }
}

// The first key whose value differs, for the message.
std::string difference(const std::string& before, const std::string& now) {
  const Json a = Json::parse(before), b = Json::parse(now);
  for (const auto& [key, value] : b.items()) {
    if (!a.contains(key) || a[key] != value)
      return fmt::format("{} was {}, now {}", key,
                         a.contains(key) ? json_text(a[key]) : "not there", json_text(value));
  }
  return "options were others";
}

}  // namespace

Journal::Journal(const fs::path& output, Json what)
    : file_(output / "prepare.json"), what_(text_of(what)), lock_(made(output)) {
  if (is_there(file_)) {
    const auto [before, was_finished] = earlier(file_);
    if (before != what_) {
      raise(Fault::usage, "{} was made of something else: {}; try: another --output, or remove it",
            output.string(), difference(before, what_));
    }
    resumed_ = true;
    was_finished_ = was_finished;
    return;
  }
  if (!holds_nothing(output)) {
    raise(Fault::usage, "{} is not empty, and nothing that was prepared; try: another --output",
          output.string());
  }
  write_atomically(file_, text_of(Json{{"made_of", std::move(what)}}) + "\n", Fault::usage);
}

void Journal::finish(const Json& result) {
  const int folder = ::open(file_.parent_path().c_str(), O_RDONLY | O_DIRECTORY | O_CLOEXEC);
  if (folder >= 0) {
    (void)::syncfs(folder);
    ::close(folder);
  }
  const Json all{{"made_of", Json::parse(what_)}, {"result", result}};
  write_atomically(file_, text_of(all) + "\n", Fault::usage);
}

void expect_room(const fs::path& output, uint64_t bytes) {
  std::error_code code;
  const uint64_t room = fs::space(output, code).available;
  if (code || bytes <= room) return;
  raise(Fault::no_space,
        "{} needs {} more, but its disk has {} left; try: free some space, or --output on another "
        "disk",
        output.string(), human_bytes(static_cast<double>(bytes)),
        human_bytes(static_cast<double>(room)));
}

std::string fingerprint(const std::vector<RawPicture>& pictures) {
  uint64_t hash = 0;
  for (const RawPicture& p : pictures) {
    const std::string bytes = std::to_string(p.bytes), before = hash_hex(hash);
    const std::string_view parts[] = {before, p.class_name, "/", p.name, "/", bytes};
    hash = hash_parts(parts);
  }
  return hash_hex(hash);
}

}  // namespace convoy
