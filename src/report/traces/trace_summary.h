// What a trace of a run (train/trace.h) tells about the time of its steps.
#pragma once

#include <cstdint>
#include <map>
#include <string>
#include <string_view>
#include <vector>

#include "base/files/file.h"

namespace convoy {

// All runs of one op of a plan.
struct TracedOp {
  std::string op, name, shape, implementation;
  int64_t runs = 0;
  double seconds = 0, flops = 0, bytes = 0;  // sums
};

struct TracedRank {
  int rank = 0, processes = 1;
  std::string title;                      // "rank 3 (host)"
  double peak_flops = 0, peak_bytes = 0;  // per second, of the machine; 0: unknown
  int64_t steps = 0;
  double step_seconds = 0;  // sum of the steps
  // Seconds by what the training thread did: "ops", "data wait", "exchange wait", "evaluation",
  // "checkpoint".
  std::map<std::string, double> parts;
  double bucket_seconds = 0;  // from complete to summed, over all buckets
  int loader_threads = 0;
  double loader_seconds = 0, span_seconds = 0;  // making batches; from the first step to the last
  std::vector<TracedOp> ops;                    // the slowest first

  double part(const std::string& name) const;
  // Of the time of the steps.
  double share(const std::string& name) const;
  double ops_seconds() const { return part("ops"); }
};

// Reads a file of a trace, of one rank or merged, ascending by rank. A file that is none is
// Fault::data, and one without a whole step too.
std::vector<TracedRank> read_trace(const fs::path& file);

// The traces in the folder `trace` of a run: all ranks as one if there is such a file, else those
// of the ranks that there are. Without any: Fault::usage.
std::vector<TracedRank> read_traces_of(const fs::path& run);

enum class Bottleneck { kernels, data, exchange };
Bottleneck bottleneck_of(const TracedRank& rank);

}  // namespace convoy
