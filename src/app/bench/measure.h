// Times a few steps of a run, for `bench`. Nothing is saved.
#pragma once

#include <functional>
#include <string>
#include <vector>

#include "train/machine_speed.h"
#include "train/run/run_setup.h"

namespace convoy {

struct MeasureOptions {
  int warmup = 2, steps = 5;
  bool infer = false;  // measure the plan of `predict`, not training steps
  // Called after every step with the number of steps done and the total, both including warm-up.
  std::function<void(int, int)> progress = [](int, int) {};
};

// The time of one node of a plan, summed over the measured steps.
struct NodeTime {
  std::string plan, op, name, shape;
  std::string implementation;  // oneDNN's; empty: our own kernel
  double seconds = 0;
  double flops = 0;  // of all these runs
  double bytes = 0;  // of its inputs and outputs in all these runs
  // What the operations would take at the peak for numbers stored as the node's first input is.
  double peak_seconds = 0;
};

struct Measured {
  std::vector<double> seconds;  // of each measured step
  std::vector<double> losses;   // of every training step, including warm-up
  double images = 0;            // per step
  double flops = 0;             // per step
  double peak_seconds = 0;      // what these would take at their peaks, per step
  double wait_seconds = 0;      // waiting for data, in the measured steps
  std::vector<NodeTime> nodes;  // in execution order
  MachineSpeed machine;         // the better of two measurements, before and after
  int64_t planned_bytes = 0;    // the plan's forecast of memory
  int64_t peak_rss_bytes = 0;

  double median_seconds() const;
  double best_seconds() const;
  double images_per_s() const { return images / median_seconds(); }
  double flops_per_s() const { return flops / median_seconds(); }
  double share_of_peak() const { return peak_seconds / median_seconds(); }
};

// Runs the trainer's own steps from the same start, so their losses equal those of `train`.
Measured measure(const RunSetup& setup, const MeasureOptions& options);

}  // namespace convoy
