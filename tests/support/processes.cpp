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

Json ProcessesRun::session_event(const std::string& kind) const {
  Json found;
  for (const std::string& line : lines_of(read_file(dir / "sessions.jsonl", Fault::bug))) {
    const Json event = Json::parse(line);
    if (event["event"] == kind) found = event;
  }
  return found;
}

}  // namespace convoy::test
