// The options of a run as recorded in its checkpoints. args.yml could be edited or replaced, and a
// resumed run with other options would train something else.
#pragma once

#include <map>
#include <string>
#include <vector>

#include "train/run/run_config.h"

namespace convoy {

// Every option that changes a result, with its value. A value that is not valid text (a path may
// contain any bytes) is recorded by its hash.
std::map<std::string, std::string> option_record(const RunConfig& config);

struct OptionChange {
  std::string key;
  std::string before, now;  // "(default)" if only one side has the option
};

// The options that differ from the recorded ones, by key; none for an empty record. An option that
// is newer than the record and has its default is not a difference.
std::vector<OptionChange> changed_options(const std::map<std::string, std::string>& recorded,
                                          const RunConfig& config);

// "lr was 0.1, now 0.2; seed was 1, now 2; and 3 more"
std::string to_text(const std::vector<OptionChange>& changes);

}  // namespace convoy
