#include "train/checkpoint/checkpoint.h"

#include <fcntl.h>
#include <stdio.h>
#include <unistd.h>

#include <algorithm>
#include <array>
#include <cerrno>
#include <charconv>

#include "base/files/file_operation.h"
#include "base/files/temporary_name.h"
#include "base/text/text.h"
#include "train/run/run_dir.h"

namespace convoy {
namespace {

constexpr std::string_view prefix = "step-";
constexpr std::string_view temporary_prefix = ".tmp-";
constexpr std::string_view state_name = "state.json";

std::optional<int64_t> step_of(std::string_view name) {
  if (!name.starts_with(prefix) || name.size() < prefix.size() + 7) return std::nullopt;
  const std::string_view digits = name.substr(prefix.size());
  if (digits.find_first_not_of("0123456789") != digits.npos) return std::nullopt;
  int64_t step = 0;
  const auto [end, error] = std::from_chars(digits.data(), digits.data() + digits.size(), step);
  // Accepts only the canonical spelling, so that a step has one folder.
  if (error != std::errc{} || checkpoint_name(step) != name) return std::nullopt;
  return step;
}

// A name inside the folder that does not collide with our own file.
bool is_plain_name(std::string_view name) {
  return !name.empty() && name.front() != '.' && name.find('/') == name.npos && name != state_name;
}

// Renames before removing, so that a partly removed folder never looks like a checkpoint.
void discard(const fs::path& folder) {
  const FileOperation operation("remove", folder);
  std::error_code ignored;
  fs::path hidden = folder;
  if (!folder.filename().string().starts_with(temporary_prefix)) {
    hidden = folder.parent_path() /
             fmt::format("{}old-{}", temporary_prefix, folder.filename().string());
    fs::remove_all(hidden, ignored);
    fs::rename(folder, hidden, ignored);
  }
  fs::remove_all(hidden, ignored);
}

StateFile read_state(const fs::path& folder) {
  const fs::path path = folder / state_name;
  return state_file_from_json(read_file(path, Fault::checkpoint), path.string());
}

std::string file_names(const StateFile& about) {
  std::vector<std::string> names;
  for (const auto& [name, file] : about.files) names.push_back(name);
  return join(names, ", ");
}

std::string read_part(const fs::path& path, const StateFile::File& expected) {
  std::string content = read_file(path, Fault::checkpoint);
  if (content.size() != expected.bytes) {
    raise(Fault::checkpoint, "{}: damaged: {} bytes instead of {}", path.string(), content.size(),
          expected.bytes);
  }
  if (hash_bytes(content) != expected.hash) {
    raise(Fault::checkpoint, "{}: damaged: its hash does not fit", path.string());
  }
  return content;
}

}  // namespace

std::string checkpoint_name(int64_t step) { return fmt::format("{}{:07}", prefix, step); }

Checkpoint read_checkpoint(const fs::path& folder) {
  std::error_code ignored;
  fs::path real = fs::canonical(folder, ignored);
  if (ignored) raise(Fault::checkpoint, "no checkpoint {}: {}", folder.string(), ignored.message());
  const fs::path state_path = real / state_name;
  StateFile about = read_state(real);
  if (const auto step = step_of(real.filename().string()); step && *step != about.state.step) {
    raise(Fault::checkpoint, "{}: damaged: it says step {}", state_path.string(), about.state.step);
  }
  Checkpoint checkpoint{.path = std::move(real),
                        .state = std::move(about.state),
                        .best_step = about.best_step,
                        .files = {},
                        .log_lengths = std::move(about.log_lengths)};
  for (const auto& [name, expected] : about.files) {
    if (!is_plain_name(name)) {
      raise(Fault::checkpoint, "{}: damaged: it lists the file {:?}", state_path.string(), name);
    }
    checkpoint.files[name] = read_part(checkpoint.path / name, expected);
  }
  return checkpoint;
}

std::string read_checkpoint_file(const fs::path& folder, const std::string& name) {
  const StateFile about = read_state(folder);
  const auto found = about.files.find(name);
  if (found == about.files.end()) {
    raise(Fault::checkpoint, "the checkpoint {} has no {}; it has {}", folder.string(), name,
          file_names(about));
  }
  try {
    return read_part(folder / name, found->second);
  } catch (const Error& error) {
    if (std::string_view(error.what()).find("; try: ") != std::string_view::npos) throw;
    raise(Fault::checkpoint, "{}; try: another checkpoint of the run", error.what());
  }
}

CheckpointStore::CheckpointStore(fs::path run_dir, int keep)
    : run_dir_(std::move(run_dir)), folder_(run_dir_ / "checkpoints"), keep_(std::max(keep, 1)) {}

fs::path CheckpointStore::save(const TrainState& state, std::span<const CheckpointFile> files,
                               bool best, const std::function<void()>& announce) {
  // Does not create the run's folder: if that is gone, the run is gone too.
  std::error_code code;
  if (!fs::is_directory(folder_, code)) make_new_folder(folder_, Fault::checkpoint);
  clean_leftovers();
  const std::string name = checkpoint_name(state.step);
  const fs::path temporary =
      folder_ / fmt::format("{}{}-{}", temporary_prefix, name, unpredictable_digits());
  StateFile about{.state = state,
                  .best_step = best ? state.step : linked("best").value_or(-1),
                  .files = {},
                  .log_lengths = {}};
  try {
    make_new_folder(temporary, Fault::checkpoint);
    for (const CheckpointFile& file : files) {
      expect(is_plain_name(file.name) && !about.files.contains(file.name),
             "a checkpoint file has an impossible name");
      uint64_t bytes = 0;
      for (const std::string_view part : file.parts) bytes += part.size();
      write_synced(temporary / file.name, file.parts, Fault::checkpoint);
      about.files[file.name] = {bytes, hash_parts(file.parts)};
    }
    if (announce) announce();
    for (const std::string& log : run_logs()) {
      const fs::path path = run_dir_ / log;
      if (!fs::exists(path, code)) continue;
      sync_file(path, Fault::checkpoint);
      about.log_lengths[log] = fs::file_size(path, code);
      if (code) raise_file_error("read the size of", path, code.value(), Fault::checkpoint);
    }
    for (const std::string& log : side_logs(run_dir_)) {
      try {
        sync_file(run_dir_ / log, Fault::checkpoint);
        about.log_lengths[log] = fs::file_size(run_dir_ / log);
      } catch (const std::exception&) {  // it may be removed at any time
      }
    }
    sync_file(run_dir_, Fault::checkpoint);  // makes the logs' names durable
    const std::string text = to_json(about);
    write_synced(temporary / state_name, std::array{std::string_view(text)}, Fault::checkpoint);
    commit(temporary, folder_ / name);
  } catch (...) {
    discard(temporary);
    throw;
  }
  replace_link(folder_ / "last", name, Fault::checkpoint);
  if (best) replace_link(folder_ / "best", name, Fault::checkpoint);
  sync_file(folder_, Fault::checkpoint);
  prune();
  return folder_ / name;
}

// A folder of this step may exist: saved at a step boundary and again because of a signal. Then the
// two are exchanged atomically, so that one of them is there at any time.
void CheckpointStore::commit(const fs::path& temporary, const fs::path& final_path) const {
  std::error_code code;
  if (!fs::exists(fs::symlink_status(final_path, code))) {
    commit_folder(temporary, final_path, Fault::checkpoint);
    return;
  }
  sync_file(temporary, Fault::checkpoint);
  if (::renameat2(AT_FDCWD, temporary.c_str(), AT_FDCWD, final_path.c_str(), RENAME_EXCHANGE) ==
      0) {
    sync_file(folder_, Fault::checkpoint);
    discard(temporary);
  } else {  // the file system cannot exchange atomically
    discard(final_path);
    commit_folder(temporary, final_path, Fault::checkpoint);
  }
}

std::optional<Checkpoint> CheckpointStore::load_newest(const Warn& warn) const {
  const std::vector<int64_t> all = steps();
  std::string first_reason;
  for (const int64_t step : all) {
    const fs::path path = folder_ / checkpoint_name(step);
    try {
      Checkpoint checkpoint = read_checkpoint(path);
      checkpoint.path = path;
      return checkpoint;
    } catch (const Error& error) {
      if (error.fault() != Fault::checkpoint) throw;
      if (first_reason.empty()) first_reason = error.what();
      if (warn) warn(path, error.what());
    }
  }
  if (all.empty()) return std::nullopt;
  raise(Fault::checkpoint,
        "no sound checkpoint among {} in {} (newest: {}); try: a copy, or train again", all.size(),
        folder_.string(), first_reason);
}

void CheckpointStore::rewind_to(const Checkpoint* from) {
  clean_leftovers();
  const int64_t step = from ? from->state.step : -1;
  for (const int64_t newer : steps()) {
    if (newer <= step) break;
    const fs::path aside = folder_ / ("set-aside-" + checkpoint_name(newer));
    std::error_code code;
    fs::remove_all(aside, code);
    fs::rename(folder_ / checkpoint_name(newer), aside, code);
    if (code) {
      raise(Fault::checkpoint, "cannot set {} aside: {}; try: check the folder's permissions",
            checkpoint_name(newer), code.message());
    }
  }
  // A process killed between the rename and the links left the links outdated.
  const auto link = [&](const char* name, int64_t target) {
    std::error_code ignored;
    if (target >= 0 && fs::exists(folder_ / checkpoint_name(target), ignored)) {
      if (linked(name) != target) {
        replace_link(folder_ / name, checkpoint_name(target), Fault::checkpoint);
      }
    } else {
      fs::remove(folder_ / name, ignored);
    }
  };
  link("last", step);
  link("best", from ? from->best_step : -1);
  std::error_code ignored;
  if (fs::exists(folder_, ignored)) sync_file(folder_, Fault::checkpoint);
  prune();
}

void CheckpointStore::cut_logs(const std::map<std::string, uint64_t>& lengths,
                               const Warn& warn) const {
  for (const std::string& log : run_logs()) {
    const fs::path path = run_dir_ / log;
    const auto known = lengths.find(log);
    const uint64_t wanted = known == lengths.end() ? 0 : known->second;
    std::error_code missing;
    const uint64_t have = fs::file_size(path, missing);
    if (missing ? wanted > 0 : have < wanted) {
      if (warn) {
        warn(path, fmt::format("{} bytes instead of {}: lines of the run are lost",
                               missing ? 0 : have, wanted));
      }
    } else if (!missing && have > wanted) {
      if (::truncate(path.c_str(), static_cast<off_t>(wanted)) != 0) {
        raise_file_error("cut back to the checkpoint", path, errno, Fault::checkpoint,
                         "check its disk and its permissions");
      }
      sync_file(path, Fault::checkpoint);
    }
  }
}

void CheckpointStore::cut_side_logs(const std::map<std::string, uint64_t>& lengths,
                                    const Warn& warn) const {
  for (const std::string& log : side_logs(run_dir_)) {
    const fs::path path = run_dir_ / log;
    const auto known = lengths.find(log);
    const uint64_t wanted = known == lengths.end() ? 0 : known->second;
    std::error_code failed;
    if (wanted == 0) {
      fs::remove(path, failed);
    } else if (const uint64_t have = fs::file_size(path, failed); !failed && have > wanted) {
      fs::resize_file(path, wanted, failed);
    }
    if (failed && warn) warn(path, "cannot be cut back to the checkpoint: " + failed.message());
  }
}

std::vector<int64_t> CheckpointStore::steps() const {
  std::vector<int64_t> all;
  std::error_code code;
  for (fs::directory_iterator entry(folder_, code), end; !code && entry != end;
       entry.increment(code)) {
    const auto step = step_of(entry->path().filename().string());
    if (step && !entry->is_symlink()) all.push_back(*step);
  }
  if (code && code != std::errc::no_such_file_or_directory) {
    raise(Fault::checkpoint, "cannot list {}: {}", folder_.string(), code.message());
  }
  std::sort(all.rbegin(), all.rend());
  return all;
}

std::optional<int64_t> CheckpointStore::linked(const char* link) const {
  std::error_code code;
  const fs::path target = fs::read_symlink(folder_ / link, code);
  if (code || !fs::exists(folder_ / target, code)) return std::nullopt;
  return step_of(target.string());
}

void CheckpointStore::clean_leftovers() const {
  std::vector<fs::path> leftovers;
  std::error_code code;
  for (fs::directory_iterator entry(folder_, code), end; !code && entry != end;
       entry.increment(code)) {
    const fs::path& path = entry->path();
    if (path.filename().string().starts_with(temporary_prefix)) leftovers.push_back(path);
  }
  for (const fs::path& path : leftovers) discard(path);
  remove_leftovers_in(folder_);  // temporary links
}

bool CheckpointStore::is_stopgap(int64_t step) const {
  try {
    return read_state(folder_ / checkpoint_name(step)).state.stopgap;
  } catch (const Error&) {
    return false;  // damaged: counts as a checkpoint; loading it reports the damage
  }
}

void CheckpointStore::prune() const {
  const std::optional<int64_t> last = linked("last"), best = linked("best");
  int newer = 0;
  for (const int64_t step : steps()) {
    const bool is_old = is_stopgap(step) || newer++ >= keep_;
    if (is_old && step != last && step != best) discard(folder_ / checkpoint_name(step));
  }
}

}  // namespace convoy
