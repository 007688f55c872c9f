// What a run directory holds, made comparable: two runs of one recipe, however often interrupted,
// give equal records. Only times are taken out.
#pragma once

#include <map>
#include <nlohmann/json.hpp>
#include <string>
#include <vector>

#include "support/process.h"

namespace convoy::test {

using Json = nlohmann::ordered_json;

// The events of metrics.jsonl as they stand, all or of one kind.
std::vector<Json> events(const fs::path& run, const std::string& kind = "");
// Without their time-like fields.
std::vector<std::string> comparable_events(const fs::path& run, const std::string& kind = "");

// Path below the run directory -> content, a hash of it, or where a link points. Without env.json,
// sessions.jsonl and the lock, which tell about processes and not about the run.
using RunRecord = std::map<std::string, std::string>;
RunRecord run_record(const fs::path& run);
// Names every difference.
void expect_equal(const RunRecord& actual, const RunRecord& expected);

// From the last event.
std::string weights_hash_of(const fs::path& run);

// The steps of the checkpoints, oldest first.
std::vector<int64_t> checkpoint_steps(const fs::path& run);

std::vector<std::string> lines_of(const std::string& text);

// A tiny recipe on generated data, 16 steps an epoch of milliseconds each; `more` adds options or
// gives others' values.
Arguments tiny(const Arguments& more = {});

// Trains in a folder of its own, below which every such run is runs/a.
class TinyRun {
 public:
  explicit TinyRun(Arguments recipe) : recipe_(std::move(recipe)) {}

  const fs::path& folder() const { return folder_.path(); }
  fs::path dir() const { return folder_ / "runs/a"; }
  Arguments train() const { return joined({"train", "--name", "a", "--quiet"}, recipe_); }
  static Arguments resume() { return {"resume", "runs/a", "--quiet"}; }
  // To its end, which must be a good one.
  const TinyRun& whole() const;
  // As a kill after the first of two steps leaves it; with a checkpoint at every step.
  void take_back_the_last_step() const;
  // Goes on, or begins when there is nothing to go on with.
  Arguments next() const { return fs::exists(dir() / "args.yml") ? resume() : train(); }

 private:
  Arguments recipe_;
  TempFolder folder_;
};

}  // namespace convoy::test
