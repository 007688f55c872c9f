// Which convolutions `bench convs` measures: those of a model, of a list that comes with Convoy, or
// of a file.
#pragma once

#include <string>
#include <string_view>
#include <vector>

#include "app/bench/measure_convs.h"
#include "compile/plan.h"

namespace convoy {

// "cifar", "resnet", "ssd", "grouped", "depthwise", "odd"; "all" is all of them.
std::vector<std::string> conv_list_names();

// Of a list, or of a file with a convolution a line (ops/conv/conv_name.h; # begins a comment),
// `batch` images each; 0: as many as are usual. A name that is neither, and a line that is no
// convolution, are usage errors.
std::vector<ConvCase> listed_convs(const std::string& list_or_file, int64_t batch);

// Every convolution of a plan once, with the passes it has and how often.
std::vector<ConvCase> convs_of(const Plan& plan);

}  // namespace convoy
