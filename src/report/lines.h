// Formats events as lines for people, for log.txt and for the screen when it is not a terminal. The
// lines are close to timm's, so that timm's log readers work.
#pragma once

#include <functional>
#include <optional>
#include <string>

#include "train/event.h"

namespace convoy {

// Estimates the seconds left until `total_steps` from the mean pace since the first step of this
// process. So evaluations and checkpoints count, and a resumed run does not use another machine's
// pace.
class Eta {
 public:
  void reset() { first_.reset(); }
  // Empty until the pace is known.
  std::optional<double> after(int64_t step, int64_t total_steps, double now);

 private:
  struct Mark {
    int64_t step;
    double time;
  };
  std::optional<Mark> first_;
};

std::string default_lines(const RunStart& e);
std::string forecast_lines(const Forecast& e);

class Lines {
 public:
  // `clock` returns steady seconds. `date` returns "2024-01-31 12:00:00" for the first and last
  // lines.
  Lines(std::function<double()> clock, std::function<std::string()> date);

  // Zero or more lines, each with its newline.
  std::string of(const RunEvent& event);

 private:
  std::string train(const TrainProgress& e);

  std::function<double()> clock_;
  std::function<std::string()> date_;
  Eta eta_;
  // Sums for the means over the recorded steps of the current epoch.
  int64_t epoch_ = 0, recorded_ = 0;
  double step_s_ = 0, wait_s_ = 0;
};

// The local time as "2024-01-31 12:00:00".
std::string date_and_time();

}  // namespace convoy
