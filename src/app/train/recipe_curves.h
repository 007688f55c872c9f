// The values that a run would set from step to step (learning rate, …), as CSV and as a plot, for
// `plan --curve`.
#pragma once

#include <string>
#include <vector>

#include "base/files/file.h"
#include "plot/plot.h"
#include "train/run/run_setup.h"

namespace convoy {

struct RecipeCurves {
  struct Row {
    int64_t step = 0;  // updates before this one
    double epoch = 0;  // epochs before this step
    double lr = 0;
    double momentum = 0;      // AdamW: the first beta
    double weight_decay = 0;  // of weights; its effect on the gradient
  };
  std::string title;
  std::vector<Row> rows;
};

// All steps, or at most `most`, evenly spaced with the first and the last. `fields`: the options of
// the run.
RecipeCurves recipe_curves(const RunSetup& setup, const std::vector<Field>& fields,
                           int64_t most = 20000);

std::string to_csv(const RecipeCurves& curves);
Plot to_plot(const RecipeCurves& curves);

// The files for --curve: x.png is a plot, with the numbers beside it in x.csv; x.csv is the numbers
// only. Any other name is a usage error.
struct CurveFiles {
  explicit CurveFiles(const fs::path& asked);
  fs::path png, csv;  // png may be empty
  std::vector<std::string> names() const;
};

void write_curves(const RecipeCurves& curves, const CurveFiles& files);

}  // namespace convoy
