// What a folder of prepared data is made from, in its prepare.json: a run that was killed is only
// gone on with when input and options are still the same, so that no two are ever mixed.
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
  // Makes and locks the folder. `what` is what decides the result; `command` is how a person would
  // say it ("folder --input flowers --val-share 0.1"). A folder that was made of something else, or
  // holds other files, is Fault::usage.
  Journal(const fs::path& output, nlohmann::ordered_json what, std::string command);

  // Whether an earlier run began here.
  bool resumed() const { return resumed_; }
  // Whether it came to its end, so that everything was there and sound.
  bool was_finished() const { return was_finished_; }

  // All is there: makes that durable and says so in the file, with what is told about it.
  void finish(const nlohmann::ordered_json& result);

 private:
  fs::path file_;
  std::string what_, command_;
  bool resumed_ = false, was_finished_ = false;
  RunLock lock_;
};

// Fault::no_space when so many bytes surely do not fit there: better now than after hours.
void expect_room(const fs::path& output, uint64_t bytes);

// A hash of names, classes and sizes.
std::string fingerprint(const std::vector<RawPicture>& pictures);

}  // namespace convoy
