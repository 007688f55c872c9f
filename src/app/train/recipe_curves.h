// What a run would set from step to step, before it is run: as CSV and as a picture, for `plan
// --curve`.
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
    double epoch = 0;  // epochs done by then
    double lr = 0;
    double momentum = 0;      // of AdamW its first beta
    double weight_decay = 0;  // of weights, as the gradient feels it
  };
  std::string title;
  std::vector<Row> rows;
};

// All steps, or at most `most`, evenly chosen, with the first and the last. `fields`: as the
// options of the run were read.
RecipeCurves recipe_curves(const RunSetup& setup, const std::vector<Field>& fields,
                           int64_t most = 20000);

std::string to_csv(const RecipeCurves& curves);
Plot to_plot(const RecipeCurves& curves);

// What --curve means: x.png is a picture and the numbers beside it, x.csv the numbers alone.
// Anything else is a usage error.
struct CurveFiles {
  explicit CurveFiles(const fs::path& asked);
  fs::path png, csv;  // png may be empty
  std::vector<std::string> names() const;
};

void write_curves(const RecipeCurves& curves, const CurveFiles& files);

}  // namespace convoy
