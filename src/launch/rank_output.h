// What ranks print, as the user sees it: rank 0's standard output as it stands, so that a launched
// verb prints what the verb prints; everything else with "[rank 3 host n17] " in front.
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
  bool tag_all = false;          // rank 0's standard output too
  std::optional<int> only_rank;  // of the others nothing but errors
  std::string log_dir;           // rank-0.log ... of both streams; empty: none
};

class RankOutput {
 public:
  // Opens the logs.
  RankOutput(const RankPlacement& placement, OutputOptions options);

  void line(int rank, bool is_error_stream, std::string_view text);

  // The first error a rank spoke of; empty: none did.
  const std::string& first_error() const { return first_error_; }
  // Where the run of a training verb is, if rank 0 has said so.
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
