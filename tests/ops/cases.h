// The cases of every op family, so that one test can see that no op is without any.
#pragma once

#include <vector>

#include "support/op_case.h"

namespace convoy::test {

std::vector<OpCase> activation_cases();
std::vector<OpCase> arithmetic_cases();
std::vector<OpCase> batch_norm_cases();
std::vector<OpCase> bias_cases();
std::vector<OpCase> box_heads_cases();
std::vector<OpCase> byte_image_cases();
std::vector<OpCase> cast_cases();
std::vector<OpCase> convolution_cases();
std::vector<OpCase> cross_entropy_cases();
std::vector<OpCase> detection_loss_cases();
std::vector<OpCase> dropout_cases();
std::vector<OpCase> group_norm_cases();
std::vector<OpCase> label_weight_cases();
std::vector<OpCase> linear_cases();
std::vector<OpCase> mixing_cases();
std::vector<OpCase> pad_cases();
std::vector<OpCase> pooling_cases();
std::vector<OpCase> shape_cases();
std::vector<OpCase> shortcut_cases();
std::vector<OpCase> softmax_cases();

}  // namespace convoy::test
