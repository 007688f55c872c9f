// Defaults of batch size and learning rate for small datasets and pretrained weights, where the
// usual ones would not work. Values that are typed, in a recipe or in a record take precedence.
#pragma once

#include <cstdint>
#include <string>

namespace convoy {

// A step as usual, and the learning rate for it: of weights at random, and of weights that were
// trained.
struct UsualStep {
  int64_t batch;
  double rate, rate_of_trained;
};
inline constexpr UsualStep usual_of_classifiers{128, 0.1, 0.01};
// MLPerf trains SSD with 0.003 for 32 images, from a trained trunk.
inline constexpr UsualStep usual_of_detectors{32, 0.01, 0.003};

// The least number of steps per epoch.
constexpr int64_t fitted_steps = 8;

// The default micro-batch if a step has `parts` micro-batches: the usual number, or the largest
// power of two with which an epoch of `samples` has `fitted_steps` steps; but a step has at least 8
// images if there are 8. No samples: their number is unknown.
int64_t fitted_batch(const UsualStep& usual, int64_t samples, int64_t parts);

// The peak learning rate. With pretrained weights: in proportion to the global batch; otherwise in
// proportion to a fitted micro-batch.
double fitted_rate(const UsualStep& usual, bool has_weights, int64_t global_batch,
                   int64_t fitted_micro_batch);

// Texts for people that explain the defaults.
std::string about_batch(const UsualStep& usual, int64_t micro_batch, int64_t samples,
                        int64_t parts);
std::string about_rate(const UsualStep& usual, double rate, bool has_weights, int64_t batch);

}  // namespace convoy
