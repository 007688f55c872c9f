// The convolutions that `bench convs` measures: those of a model, of a built-in list, or of a file.
#pragma once

#include <string>
#include <string_view>
#include <vector>

#include "app/bench/measure_convs.h"
#include "compile/plan.h"

namespace convoy {

// "cifar", "resnet", "ssd", "grouped", "depthwise", "odd"; "all" is all of them.
std::vector<std::string> conv_list_names();

// The convolutions of a built-in list, or of a file with one convolution per line
// (ops/conv/conv_name.h; # begins a comment), with `batch` images each; 0: their usual batch.
// Images are stored as `stored` unless a name of a file says bf16. An unknown name or a malformed
// line is a usage error.
std::vector<ConvCase> listed_convs(const std::string& list_or_file, int64_t batch, DType stored);

// Every convolution of a plan once, with its passes and their number.
std::vector<ConvCase> convs_of(const Plan& plan);

}  // namespace convoy
