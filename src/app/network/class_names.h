// The class names of loaded weights, and datasets matched to them by name.
#pragma once

#include <memory>

#include "app/network/inference.h"

namespace convoy {

// The names of the network's outputs: from --class-names, from the file, or ImageNet's ids if the
// network has ImageNet's classes and the names of the data, `of_data`, do not contradict (empty: no
// data). Empty: unknown.
ClassNames network_classes(const InferenceOptions& options, const OpenedModel& opened,
                           const ClassNames& of_data);

// Opens a split of the dataset with labels matched by name to the network's classes. Data with
// other class names is an error. If the weights name no classes, labels stay as they are; pictures
// in folders of classes must then have as many as a known --num-classes. The dataset's `remark`
// receives other information for the user.
std::unique_ptr<Dataset> open_matched(const InferenceOptions& options, const OpenedModel& opened,
                                      bool train);

// The number of classes of the head: from --num-classes, the names, the data, or the model's
// default.
int class_count(const InferenceOptions& options, const FoundModel& model,
                const ClassNames& names = {}, const Dataset* data = nullptr);

}  // namespace convoy
