// The options and classes of an earlier run, from its folder: for the verbs that continue or repeat
// it.
#pragma once

#include <string>
#include <vector>

#include "app/options.h"
#include "base/error.h"
#include "base/show.h"
#include "train/run/run_config.h"
#include "train/run/run_dir.h"

namespace convoy {

// Declares everything that args.yml may record.
void describe_saved(Fields& field);

// An error in the record is an error of the run, not of the command line.
template <class Read>
auto reading_record(const RunDir& dir, Read&& read) {
  try {
    return read();
  } catch (const Error& error) {
    if (error.fault() != Fault::usage) throw;
    const std::string why = error.what();
    raise(Fault::checkpoint, "the options of the run cannot be used: {}; try: the {} it began with",
          why.substr(0, why.find("; try: ")), one_line(dir.args().string()));
  }
}

// The settings of args.yml; `known`: what describe_saved declares.
Settings saved_settings(const RunDir& dir, const std::vector<Field>& known);

// The run described by these settings, and all its options.
struct DescribedRun {
  RunConfig config;
  std::vector<Field> fields;
};
DescribedRun described_run(const Settings& settings, const std::vector<Field>& known);

// The classes of the run's newest valid checkpoint; empty: there is no checkpoint.
ClassNames trained_classes(const RunDir& dir);

}  // namespace convoy
