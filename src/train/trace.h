// What a process did and when, as a file for a trace viewer (chrome://tracing, ui.perfetto.dev).
// Held in memory until it is written. Times are the steady clock's: processes of one host agree.
#pragma once

#include <string>
#include <vector>

#include "base/clock.h"
#include "base/files/file.h"

namespace convoy {

class Trace {
 public:
  // `process`: its number in the file, the rank.
  explicit Trace(int process) : process_(process) {}

  // Lanes: events of one nest, those of several overlap. Lane 0 is the thread that trains.
  void name_lane(int lane, std::string name);
  // Seconds of `steady_seconds()`.
  void add(std::string name, const char* category, double begin, double end, int lane = 0);

  // Makes the folder.
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

// From here to the end of the scope. Without a trace: nothing.
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
