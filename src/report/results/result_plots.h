// Pictures about a run and its results, for its folder plots/.
#pragma once

#include <string>
#include <vector>

#include "plot/plot.h"
#include "report/results/class_results.h"
#include "report/runs/run_curves.h"

namespace convoy {

struct NamedCurves {
  std::string name;
  const RunCurves* curves;
};

// Losses, metrics, learning rate, throughput and memory over the steps, as PNG; of one run, or of
// several with a line each. Empty: there is nothing to draw.
std::string curves_png(const std::vector<NamedCurves>& runs);

// Rows are the true classes. Of more than `most_in_matrix` classes only those with the most
// mistakes.
std::string confusion_png(const ClassResults& results);
inline constexpr size_t most_in_matrix = 24;

// The share that is right by confidence.
std::string calibration_png(const ClassResults& results);

// The classes of the matrix, in the order of labels.
std::vector<size_t> matrix_classes(const ClassResults& results);

}  // namespace convoy
