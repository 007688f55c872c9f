#include "report/wandb/wandb_session.h"

#include <fmt/chrono.h>
#include <fmt/format.h>

#include <cmath>

#include "base/clock.h"
#include "base/files/temporary_name.h"
#include "base/process.h"
#include "base/proto_writer.h"

namespace convoy {
namespace {

// Numbers of fields, from wandb_internal.proto.
enum RecordKind {
  history_kind = 2,
  summary_kind = 3,
  files_kind = 6,
  stats_kind = 7,
  raw_output_kind = 13,
  run_kind = 17,
  exit_kind = 18,
};
constexpr int item_key = 1, item_value = 16;
constexpr std::string_view prefix = "offline-run-", ending = ".wandb";

void write_time(ProtoWriter& writer, int field, double time) {
  writer.message(field, [&](ProtoWriter& stamp) {
    stamp.integer(1, static_cast<int64_t>(time));
    stamp.integer(2, static_cast<int64_t>((time - std::floor(time)) * 1e9));
  });
}

void write_items(ProtoWriter& writer, int field, const JsonTexts& values) {
  for (const auto& [key, value] : values) {
    writer.message(field, [&](ProtoWriter& item) {
      item.bytes(item_key, key);
      item.bytes(item_value, value);
    });
  }
}

// The id of the sessions that are there; else a new one.
std::string run_id(const fs::path& folder) {
  std::error_code none;
  for (fs::directory_iterator entry(folder, none), end; !none && entry != end;
       entry.increment(none)) {
    const std::string name = entry->path().filename().string();
    const size_t dash = name.rfind('-');
    if (name.starts_with(prefix) && dash > prefix.size()) return name.substr(dash + 1);
  }
  constexpr size_t usual_length = 8;
  return unpredictable_digits().substr(0, usual_length);
}

fs::path made_folder(const fs::path& folder, const std::string& id) {
  for (auto time = static_cast<std::time_t>(unix_seconds());; ++time) {
    fs::path path = folder / fmt::format("{}{:%Y%m%d_%H%M%S}-{}", prefix, fmt::localtime(time), id);
    std::error_code none;
    if (fs::exists(path, none)) continue;
    make_folders(path / "files", Fault::checkpoint);
    return path;
  }
}

}  // namespace

WandbSession::WandbSession(const About& about)
    : id_(run_id(about.folder)),
      began_(unix_seconds()),
      log_((folder_ = made_folder(about.folder, id_)) / ("run-" + id_ + std::string(ending))) {
  record(run_kind, [&](ProtoWriter& run) {
    run.bytes(1, id_);
    run.bytes(3, about.project);
    run.message(4, [&](ProtoWriter& config) { write_items(config, 1, about.config); });
    run.bytes(8, about.name);
    run.bytes(13, host_name());
    if (about.first_step > 0) run.integer(14, about.first_step);
    write_time(run, 17, began_);
    if (about.is_resumed) run.flag(18, true);
  });
}

template <class Body>
void WandbSession::record(int kind, const Body& body) {
  std::string text;
  ProtoWriter writer(text);
  writer.integer(1, log_.count() + 1);
  writer.message(kind, body);
  log_.add(text);
}

void WandbSession::history(int64_t step, const JsonTexts& values) {
  const double now = unix_seconds();
  JsonTexts all = values;
  all["_step"] = std::to_string(step);
  all["_timestamp"] = fmt::format("{:.3f}", now);
  all["_runtime"] = fmt::format("{:.3f}", now - began_);
  record(history_kind, [&](ProtoWriter& row) {
    write_items(row, 1, all);
    row.message(2, [&](ProtoWriter& at) { at.integer(1, step); });
  });
}

void WandbSession::summary(const JsonTexts& values) {
  record(summary_kind, [&](ProtoWriter& row) { write_items(row, 1, values); });
}

void WandbSession::system(const JsonTexts& values) {
  record(stats_kind, [&](ProtoWriter& stats) {
    stats.integer(1, 0);
    write_time(stats, 2, unix_seconds());
    write_items(stats, 3, values);
  });
}

void WandbSession::output(std::string_view text) {
  constexpr int64_t standard_output = 1;
  record(raw_output_kind, [&](ProtoWriter& raw) {
    raw.integer(1, standard_output);
    write_time(raw, 2, unix_seconds());
    raw.bytes(3, text);
  });
}

void WandbSession::file(const std::string& path, std::string_view content, bool is_media) {
  const fs::path place = folder_ / "files" / path;
  make_folders(place.parent_path(), Fault::checkpoint);
  write_atomically(place, content, Fault::checkpoint);
  record(files_kind, [&](ProtoWriter& files) {
    files.message(1, [&](ProtoWriter& one) {
      one.bytes(1, path);
      one.integer(3, is_media ? 2 : 0);
    });
  });
}

void WandbSession::exit(int code) {
  record(exit_kind, [&](ProtoWriter& end) {
    end.integer(1, code);
    end.integer(2, static_cast<int64_t>(unix_seconds() - began_));
  });
}

}  // namespace convoy
