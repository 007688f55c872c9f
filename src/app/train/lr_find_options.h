// The options of `lr-find`: those of training, but for the ones that it decides itself.
#pragma once

#include "app/command.h"
#include "train/schedules/find_rate.h"

namespace convoy {

struct LrFindOptions : FindRateOptions {
  std::string config;
  std::string output = ".";

  void describe(Fields& field);
};

// What `lr-find` reads of the recipe and the command line. Rate, length, evaluation and files of a
// run mean nothing here: a recipe's are left out, typed ones are a usage error.
Settings lr_find_settings(const CommandLine& line, const std::vector<Field>& known);

// The command that trains with the rate that was found: what was typed, and the rate in the words
// of the recipe.
std::string train_line(const CommandLine& line, const std::vector<Field>& known, double rate,
                       int64_t global_batch);

}  // namespace convoy
