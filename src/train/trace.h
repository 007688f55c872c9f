// Records what a process does over time, for a trace viewer (chrome://tracing, ui.perfetto.dev).
// Events stay in memory until `write`. Times are of the steady clock, which all processes of a host
// share.
#pragma once

#include <string>
#include <vector>

#include "base/clock.h"
#include "base/files/file.h"

namespace convoy {

class Trace {
 public:
  // `process`: its number in the file (the rank).
  explicit Trace(int process) : process_(process) {}

  // A lane is a row of the trace: events of one lane nest, those of different lanes may overlap.
  // Lane 0 is the training thread.
  void name_lane(int lane, std::string name);
  // `begin` and `end` in `steady_seconds()`.
  void add(std::string name, const char* category, double begin, double end, int lane = 0);

  // Creates the folder if needed.
  void write(const fs::path& file) const;

 private:
  struct Event {
    std::string name;
    const char* category;
    double begin, end;
    int lane;
  };
  int process_;
  std::vector<std::pair<int, std::string>> lanes_;
  std::vector<Event> events_;
};

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
