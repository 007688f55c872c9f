#include "app/prepare/journal.h"

#include <fcntl.h>
#include <unistd.h>

#include <nlohmann/json.hpp>

#include "base/error.h"
#include "base/files/folder.h"
#include "base/files/temporary_name.h"
#include "base/text/json.h"
#include "base/text/json_text.h"
#include "base/text/text.h"
#include "config/value.h"
#include "data/sources/data_file.h"

namespace convoy {
namespace {

using Json = nlohmann::ordered_json;

fs::path made(const fs::path& folder) {
  make_folders(folder, Fault::usage);
  return folder;
}

bool holds_nothing(const fs::path& folder) { return folder_entries(folder, Fault::usage).empty(); }

std::string text_of(const Json& json) { return json_text(json, 1); }

// The content of an earlier prepare.json.
struct Earlier {
  std::string what, command;
  bool was_finished = false;
};
Earlier earlier(const fs::path& file) {
  const std::string text = read_file(file, Fault::usage);
  try {
    const Json all = parse_ordered_json(text);
    if (const auto found = all.find("made_of"); found != all.end()) {
      return {text_of(*found), all.value("command", ""), all.contains("result")};
    }
  } catch (const JsonError&) {  // reported below
  } catch (const Json::exception&) {
  }
  raise(Fault::usage, "{} is damaged; try: another --output, or remove the folder", file.string());
}

// Why the folder cannot be continued, for a message.
std::string difference(const Earlier& before, const std::string& command) {
  if (before.command == command) return "the pictures of that input have changed since";
  if (before.command.empty())
    return "by an earlier version, from other pictures or with other options";
  return fmt::format("by `prepare {}`, and this is `prepare {}`", before.command, command);
}

}  // namespace

Journal::Journal(const fs::path& output, Json what, std::string command)
    : file_(output / journal_name),
      what_(text_of(what)),
      command_(std::move(command)),
      lock_(made(output)) {
  remove_leftovers_below(output);
  if (is_there(file_)) {
    const Earlier before = earlier(file_);
    if (before.what != what_) {
      raise(Fault::usage,
            "{} was prepared from something else: {}; try: another --output, or remove it",
            output.string(), one_line(difference(before, command_)));
    }
    resumed_ = true;
    was_finished_ = before.was_finished;
    return;
  }
  if (!holds_nothing(output)) {
    raise(Fault::usage,
          "{} holds other files than prepared data; try: another --output, or an empty folder",
          output.string());
  }
  write_atomically(file_, text_of(Json{{"made_of", std::move(what)}, {"command", command_}}) + "\n",
                   Fault::usage);
}

void Journal::finish(const Json& result) {
  const int folder = ::open(file_.parent_path().c_str(), O_RDONLY | O_DIRECTORY | O_CLOEXEC);
  if (folder >= 0) {
    (void)::syncfs(folder);
    ::close(folder);
  }
  const Json all{{"made_of", parse_ordered_json(what_)}, {"command", command_}, {"result", result}};
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
