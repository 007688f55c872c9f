#include "support/processes.h"

#include <gtest/gtest.h>

#include <algorithm>

namespace convoy::test {

Arguments processes_recipe(const Arguments& more) {
  Arguments all = more;
  for (const auto& [option, value] :
       std::vector<std::pair<std::string, std::string>>{{"--generated-samples", "96"},
                                                        {"--batch-size", "8"},
                                                        {"--replicas", "4"},
                                                        {"--threads", "1"},
                                                        {"--epochs", "2"},
                                                        {"--bucket-mb", "0.02"},
                                                        {"--log-steps", "1"}}) {
    if (std::ranges::find(more, option) == more.end()) all = joined(all, {option, value});
  }
  return tiny(all);
}

ProcessesRun::ProcessesRun(int processes, const Arguments& options, int code) {
  const Arguments all = joined({"train", "--name", "a", "--quiet"}, options);
  const Finished end =
      processes ? run_convoy_on(processes, all, folder.path()) : run_convoy(all, folder.path());
  EXPECT_EQ(end.code, code) << end.err;
}

Finished ProcessesRun::resume(int processes, const Arguments& options) const {
  return run_convoy_on(processes, joined({"resume", "runs/a", "--quiet"}, options), folder.path());
}

std::vector<std::string> ProcessesRun::numbers() const {
  std::vector<std::string> all = comparable_events(dir, "train");
  for (const std::string& line : comparable_events(dir, "eval")) all.push_back(line);
  return all;
}

void ProcessesRun::forget_after(int64_t step) const {
  fs::remove(dir / "checkpoints/last");
  for (const int64_t saved : checkpoint_steps(dir)) {
    if (saved > step) fs::remove_all(dir / fmt::format("checkpoints/step-{:07}", saved));
  }
  EXPECT_EQ(checkpoint_steps(dir), std::vector<int64_t>{step});
  // A run whose log says that it has ended would not go on.
  const std::string log = read_file(dir / "metrics.jsonl", Fault::bug);
  const size_t last_line = log.rfind('\n', log.size() - 2) + 1;
  EXPECT_NE(log.find("run_end", last_line), std::string::npos);
  write_atomically(dir / "metrics.jsonl", log.substr(0, last_line), Fault::bug);
}

Json ProcessesRun::session_event(const std::string& kind) const {
  Json found;
  for (const std::string& line : lines_of(read_file(dir / "sessions.jsonl", Fault::bug))) {
    const Json event = Json::parse(line);
    if (event["event"] == kind) found = event;
  }
  return found;
}

}  // namespace convoy::test
