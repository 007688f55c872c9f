// Runs a few steps of a run that keeps nothing, and times them: for `bench`.
#pragma once

#include <functional>
#include <string>
#include <vector>

#include "train/machine_speed.h"
#include "train/run/run_setup.h"

namespace convoy {

struct MeasureOptions {
  int warmup = 2, steps = 5;
  bool infer = false;  // the evaluation plan instead of training steps
  // After every step: how many are done and how many there are, warm-up included.
  std::function<void(int, int)> progress = [](int, int) {};
};

// Time of one node of a plan, summed over the steps that counted.
struct NodeTime {
  std::string plan, op, name, shape;
  std::string implementation;  // empty: our own loop
  double seconds = 0;
  double flops = 0;  // of all those runs together
  double bytes = 0;  // of its inputs and outputs, likewise
};

struct Measured {
  std::vector<double> seconds;  // of each step that counted
  std::vector<double> losses;   // of every step, warm-up included; of training alone
  double images = 0;            // of one step
  double flops = 0;             // of one step
  double wait_seconds = 0;      // without data, over the steps that counted
  std::vector<NodeTime> nodes;  // in running order
  MachineSpeed machine;         // measured before and after, the better
  int64_t planned_bytes = 0;    // of memory, as the plan foresaw
  int64_t peak_rss_bytes = 0;

  double median_seconds() const;
  double best_seconds() const;
  double images_per_s() const { return images / median_seconds(); }
  double flops_per_s() const { return flops / median_seconds(); }
};

// The steps are the trainer's own, from the same start: their losses are those of `train`.
Measured measure(const RunSetup& setup, const MeasureOptions& options);

}  // namespace convoy
