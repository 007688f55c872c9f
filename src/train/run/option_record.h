// The options of a run as its checkpoints record them: args.yml can be edited, cut or swapped, and
// a run that goes on with others trains something else.
#pragma once

#include <map>
#include <string>
#include <vector>

#include "train/run/run_config.h"

namespace convoy {

// What a checkpoint records: every option that changes a result. A value that is no text (a path
// may hold any bytes) is recorded by its hash.
std::map<std::string, std::string> option_record(const RunConfig& config);

struct OptionChange {
  std::string key;
  std::string before, now;  // "(default)" where only one side knows the option
};

// Where the options of now differ from the recorded ones, by key; empty records know nothing. An
// option that came after the record, at its default, is no difference.
std::vector<OptionChange> changed_options(const std::map<std::string, std::string>& recorded,
                                          const RunConfig& config);

// "lr was 0.1, now 0.2; seed was 1, now 2; and 3 more"
std::string to_text(const std::vector<OptionChange>& changes);

}  // namespace convoy
