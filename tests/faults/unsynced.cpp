#include "unsynced.h"

#include <fcntl.h>
#include <stdio.h>
#include <unistd.h>

#include <filesystem>
#include <map>
#include <vector>

namespace faults {
namespace {

namespace fs = std::filesystem;

// A change of names in a folder, to be taken back unless the folder is synced.
struct NameChange {
  enum class Kind { created, renamed, exchanged } kind;
  fs::path from, to;
  fs::path kept;  // what had the name before; empty: nothing
};

struct Ledger {
  std::map<fs::path, uintmax_t> durable_bytes;  // of files with writes that no fsync followed
  std::vector<NameChange> names;
  int kept = 0;
};

Ledger& ledger() {
  static Ledger* const all = new Ledger;  // outlives every destructor
  return *all;
}

}  // namespace

void note_created(const std::string& path) {
  ledger().names.push_back({NameChange::Kind::created, {}, path, {}});
}

void note_written(const std::string& path) {
  std::error_code code;
  const uintmax_t bytes = fs::file_size(path, code);
  ledger().durable_bytes.try_emplace(path, code ? 0 : bytes);
}

void note_synced(const std::string& path) {
  Ledger& all = ledger();
  all.durable_bytes.erase(path);
  std::erase_if(all.names, [&](const NameChange& change) {
    if (change.to.parent_path() != path) return false;
    std::error_code ignored;
    if (!change.kept.empty()) fs::remove_all(change.kept, ignored);
    return true;
  });
}

int renamed(const char* from, const char* to, int (*next)(const char*, const char*)) {
  Ledger& all = ledger();
  fs::path kept;
  std::error_code code;
  if (fs::exists(fs::symlink_status(to, code)) && !fs::is_directory(fs::symlink_status(to, code))) {
    // Outside of every folder that is looked at: beside the run.
    kept = fs::path(to).parent_path() / (".cut-" + std::to_string(all.kept++));
    if (::linkat(AT_FDCWD, to, AT_FDCWD, kept.c_str(), 0) != 0) kept.clear();
  }
  const int result = next(from, to);
  if (result != 0) {
    if (!kept.empty()) fs::remove(kept, code);
    return result;
  }
  // Unsynced contents, and names inside of a folder, move along.
  std::map<fs::path, uintmax_t> moved;
  const std::string before = from;
  const auto now = [&](const fs::path& path) -> fs::path {
    const std::string text = path.string();
    if (text == before) return to;
    return text.starts_with(before + "/") ? to + text.substr(before.size()) : text;
  };
  for (const auto& [path, bytes] : all.durable_bytes) moved[now(path)] = bytes;
  all.durable_bytes = std::move(moved);
  for (NameChange& change : all.names) {
    // What was created and then renamed is lost under either name.
    if (change.to.string().starts_with(before + "/")) change.to = now(change.to);
  }
  all.names.push_back({NameChange::Kind::renamed, from, to, kept});
  return result;
}

void note_exchanged(const std::string& one, const std::string& other) {
  ledger().names.push_back({NameChange::Kind::exchanged, one, other, {}});
}

void lose_unsynced() {
  const Ledger all = std::move(ledger());
  ledger() = {};
  std::error_code code;
  for (const auto& [path, bytes] : all.durable_bytes) fs::resize_file(path, bytes, code);
  for (auto change = all.names.rbegin(); change != all.names.rend(); ++change) {
    switch (change->kind) {
      case NameChange::Kind::created:
        fs::remove_all(change->to, code);
        break;
      case NameChange::Kind::renamed:
        fs::rename(change->to, change->from, code);
        if (!change->kept.empty()) fs::rename(change->kept, change->to, code);
        break;
      case NameChange::Kind::exchanged:
        ::renameat2(AT_FDCWD, change->from.c_str(), AT_FDCWD, change->to.c_str(), RENAME_EXCHANGE);
        break;
    }
  }
}

}  // namespace faults
