// state.json of a checkpoint: the position of the run, and the sizes and hashes of the checkpoint's
// files.
#pragma once

#include <cstdint>
#include <map>
#include <string>
#include <vector>

namespace convoy {

// Numbers are restored bit for bit, including NaN and infinities. Texts are UTF-8.
struct TrainState {
  int64_t step = 0;
  double epoch = 0;
  int64_t samples = 0;                    // position in the data
  bool stopgap = false;                   // saved because of a signal, not because it was due
  std::map<std::string, double> numbers;  // running sums, best metric, scaler, patience …
  std::map<std::string, std::vector<double>> lists;  // results of the epoch so far
  std::map<std::string, std::string> texts;          // ISA level, algorithm choices …
  // Resolved options that change results; empty: saved before these were recorded.
  std::map<std::string, std::string> options;
};

// The whole content of state.json.
struct StateFile {
  struct File {
    uint64_t bytes = 0, hash = 0;  // XXH3-64
  };

  TrainState state;
  int64_t best_step = -1;                       // of the checkpoint `best`; -1: none
  std::map<std::string, File> files;            // the other files of the checkpoint
  std::map<std::string, uint64_t> log_lengths;  // bytes of the run's logs at this step
};

std::string to_json(const StateFile& file);

// Checks the form, and the hash over the content. `origin` names the file in the Fault::checkpoint.
StateFile state_file_from_json(const std::string& text, const std::string& origin);

}  // namespace convoy
