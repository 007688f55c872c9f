// Records in prepare.json what a folder of prepared data is made from. A killed preparation can
// only be continued with the same input and options, so that two are never mixed.
#pragma once

#include <nlohmann/json_fwd.hpp>
#include <vector>

#include "app/prepare/raw_pictures.h"
#include "base/files/file.h"
#include "train/run/run_dir.h"

namespace convoy {

inline constexpr const char* journal_name = "prepare.json";

class Journal {
 public:
  // Makes and locks the folder. `what`: all that determines the result; `command`: the same as a
  // user would type it ("folder --input flowers --val-share 0.1"). A folder made from something
  // else, or with other files, is Fault::usage.
  Journal(const fs::path& output, nlohmann::ordered_json what, std::string command);

  // Whether an earlier preparation began here.
  bool resumed() const { return resumed_; }
  // Whether it was finished, so that all files were complete and valid.
  bool was_finished() const { return was_finished_; }

  // Makes all files durable and records that the preparation is finished, with `result`.
  void finish(const nlohmann::ordered_json& result);

 private:
  fs::path file_;
  std::string what_, command_;
  bool resumed_ = false, was_finished_ = false;
  RunLock lock_;
};

// Fault::no_space if this many bytes certainly do not fit: better at once than after hours.
void expect_room(const fs::path& output, uint64_t bytes);

// A hash of names, classes and sizes.
std::string fingerprint(const std::vector<RawPicture>& pictures);

}  // namespace convoy
