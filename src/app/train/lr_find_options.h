// The options of `lr-find`: those of training, except those that it sets itself.
#pragma once

#include "app/command.h"
#include "train/schedules/find_rate.h"

namespace convoy {

struct LrFindOptions : FindRateOptions {
  std::string config;
  std::string output = ".";

  void describe(Fields& field);
};

// The settings of `lr-find` from the recipe and the command line. Learning rate, length, evaluation
// and output files of a run have no effect here: those of a recipe are dropped, typed ones are
// usage errors.
Settings lr_find_settings(const CommandLine& line, const std::vector<Field>& known);

// The command that trains with the rate found: the typed options, and the rate in the form that the
// recipe uses.
std::string train_line(const CommandLine& line, const std::vector<Field>& known, double rate,
                       int64_t global_batch);

}  // namespace convoy
