#include "app/prepare/raw_inputs.h"

#include "base/show.h"
#include "base/text/text.h"

namespace convoy {

void RawInputOptions::describe(Fields& field) {
  field("synsets", synsets,
        "a list of the classes, one a line; without it, those that have pictures");
  field("validation-labels", validation_labels,
        "a list of the classes of validation pictures that are in no folders of classes; "
        "without it, one of a usual name in the input");
  field("seed", seed, "start of the order of the training pictures, and of --val-share");
}

RawSplits find_and_tell(const PrepareSite& site, const RawInputOptions& options, double val_share) {
  RawSplits splits = find_splits({.input = site.options.input,
                                  .synsets = options.synsets,
                                  .validation_labels = options.validation_labels,
                                  .val_share = val_share,
                                  .seed = options.seed},
                                 site.pool);
  show("{}: {} training and {} validation pictures of {} classes{}\n", site.options.input,
       with_commas(static_cast<long long>(splits.train.size())),
       with_commas(static_cast<long long>(splits.validation.size())), splits.classes.size(),
       splits.passed_over ? fmt::format(", {} other files passed over", splits.passed_over)
                          : std::string());
  std::fflush(stdout);
  return splits;
}

}  // namespace convoy
