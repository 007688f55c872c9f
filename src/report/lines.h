// Events as lines for people, close to timm's so that its log readers work: log.txt, and the screen
// when it is no terminal.
#pragma once

#include <functional>
#include <optional>
#include <string>

#include "train/event.h"

namespace convoy {

// Seconds until `total_steps`, from the mean pace since the first step this process saw. So
// evaluations and checkpoints count, and a resumed run does not inherit another machine's pace.
class Eta {
 public:
  void reset() { first_.reset(); }
  // Empty before there is a pace.
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
  // `clock`: steady seconds. `date`: for the first and last lines, "2024-01-31 12:00:00".
  Lines(std::function<double()> clock, std::function<std::string()> date);

  // Zero or more lines, each with its newline.
  std::string of(const RunEvent& event);

 private:
  std::string train(const TrainProgress& e);

  std::function<double()> clock_;
  std::function<std::string()> date_;
  Eta eta_;
  // Means over the recorded steps of the current epoch.
  int64_t epoch_ = 0, recorded_ = 0;
  double step_s_ = 0, wait_s_ = 0;
};

// "2024-01-31 12:00:00", local time.
std::string date_and_time();

}  // namespace convoy
