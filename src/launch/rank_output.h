// Prints the output of ranks: rank 0's standard output unchanged, so that a launched verb prints
// what the verb alone would print; everything else with the prefix "[rank 3 host n17] ".
#pragma once

#include <memory>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "base/files/append_file.h"
#include "launch/topology.h"

namespace convoy {

struct OutputOptions {
  bool tag_all = false;          // prefix rank 0's standard output too
  std::optional<int> only_rank;  // print only errors of the other ranks
  std::string log_dir;           // folder for rank-0.log ... of both streams; empty: none
};

class RankOutput {
 public:
  // Opens the log files.
  RankOutput(const RankPlacement& placement, OutputOptions options);

  void line(int rank, bool is_error_stream, std::string_view text);

  // The first error that a rank printed; empty: none.
  const std::string& first_error() const { return first_error_; }
  // The run directory of a training verb, if rank 0 has told it.
  const std::string& run_dir() const { return run_dir_; }
  void forget_error() { first_error_.clear(); }

 private:
  std::string tag(int rank) const;

  RankPlacement placement_;
  OutputOptions options_;
  std::vector<std::unique_ptr<AppendFile>> logs_;
  std::string first_error_, run_dir_;
};

}  // namespace convoy
