// Records what a process does over time, for a trace viewer (chrome://tracing, ui.perfetto.dev).
// Events stay in memory until `text`. Times are of the steady clock, which all processes of a host
// share.
#pragma once

#include <map>
#include <mutex>
#include <string>
#include <vector>

#include "base/clock.h"
#include "base/files/file.h"
#include "train/machine_speed.h"

namespace convoy {

// What an op computes, for its rate.
struct TraceWork {
  std::string shape, implementation;
  double flops = 0, bytes = 0;
};

// The lanes of other threads than the training thread: buckets from 1 on, loader threads from here.
inline constexpr int first_loader_lane = 1000;

class Trace {
 public:
  struct Process {
    int rank = 0, processes = 1;
    std::string host = {};
  };
  explicit Trace(Process process) : process_(std::move(process)) {}

  // A lane is a row of the trace: events of one lane nest, those of different lanes may overlap.
  // Lane 0 is the training thread.
  void name_lane(int lane, std::string name);
  // `begin` and `end` in `steady_seconds()`. `work` is kept by reference. Any thread may call this.
  void add(std::string name, const char* category, double begin, double end, int lane = 0,
           const TraceWork* work = nullptr);
  // A number over time, drawn as a row of its own.
  void count(const char* name, double time, double value);

  // The file's content. `speed`: the machine's, of which ops have a share. `shift`: seconds to add
  // to all times.
  std::string text(const MachineSpeed& speed, double shift = 0) const;

 private:
  struct Event {
    std::string name;
    const char* category;
    double begin, end;
    int lane;
    const TraceWork* work;
  };
  struct Count {
    const char* name;
    double time, value;
  };
  std::string head(const MachineSpeed& speed) const;

  Process process_;
  mutable std::mutex mutex_;
  std::map<int, std::string> lanes_;
  std::vector<Event> events_;
  std::vector<Count> counts_;
};

// The traces of several processes, each by `Trace::text`, as one.
std::string merged_traces(const std::vector<std::string>& texts);

// Records the time from its construction to the end of the scope. A null trace: does nothing.
class TraceSpan {
 public:
  TraceSpan(Trace* trace, const char* name, const char* category)
      : trace_(trace), name_(name), category_(category), begin_(trace ? steady_seconds() : 0) {}
  ~TraceSpan() {
    if (trace_) trace_->add(name_, category_, begin_, steady_seconds());
  }
  TraceSpan(const TraceSpan&) = delete;
  TraceSpan& operator=(const TraceSpan&) = delete;

 private:
  Trace* trace_;
  const char *name_, *category_;
  double begin_;
};

}  // namespace convoy
