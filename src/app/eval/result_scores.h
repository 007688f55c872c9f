// `convoy eval --results`: scores detections that are in a file, without a network.
#pragma once

#include <string>
#include <vector>

#include "config/command_line.h"
#include "config/fields.h"

namespace convoy {

// Of --plots, which is for both.
inline constexpr const char* plots_help =
    "a folder for pictures: of --results precision by recall, a PNG for each class; of a "
    "detector's "
    "weights also other curves, the confusion matrix, and pictures with their objects";

struct ResultsOptions {
  std::string results, annotations, plots;

  void describe(Fields& field);
};

// Whether an option of ResultsOptions was typed that has no meaning with a network.
bool asks_for_results(const CommandLine& line);

// Reads both files, scores, prints, and draws the curves of --plots. `known`: all options of the
// verb; those that have no meaning without a network are usage errors. Returns the exit code.
int score_results(const CommandLine& line, const std::vector<Field>& known);

}  // namespace convoy
