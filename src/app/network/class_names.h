// The classes of weights that are used, and data that is matched to them by name.
#pragma once

#include <memory>

#include "app/network/inference.h"

namespace convoy {

// What the outputs of the network are called: as --class-names says, the file itself, or ImageNet's
// ids where it is such a network and `of_data`, the names of the data (none: there is no data),
// does not contradict. Empty: none of them says.
ClassNames network_classes(const InferenceOptions& options, const OpenedModel& opened,
                           const ClassNames& of_data);

// A split of the dataset with the network's labels, matched by name. Data that names other classes,
// or weights that name none where the number of classes differs, are errors; what else is worth
// knowing is `remark`.
std::unique_ptr<Dataset> open_matched(const InferenceOptions& options, const OpenedModel& opened,
                                      bool train);

// Classes of the head, as far as anything says: --num-classes, the names, the model's usual ones.
int class_count(const InferenceOptions& options, const FoundModel& model, const ClassNames& names);

}  // namespace convoy
