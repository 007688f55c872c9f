// Defaults of batch and learning rate where the usual ones would not do: few pictures, and weights
// that were trained already. What is typed, or stands in a recipe or a record, goes before them.
#pragma once

#include <cstdint>
#include <string>

namespace convoy {

constexpr int64_t usual_batch = 128;
constexpr double usual_rate = 0.1;  // for that batch
// Steps that an epoch should have.
constexpr int64_t fitted_steps = 8;

// Images of a replica's micro-batch, of which a step has `parts`: the usual number, or the largest
// power of two that leaves an epoch of `samples` its steps; but a step has 8 images where there are
// 8. No samples: their number is not known.
int64_t fitted_batch(int64_t samples, int64_t parts);

// The peak: a tenth of the usual rate for weights that were trained, in proportion to the whole
// batch; else in proportion to a micro-batch that was fitted.
double fitted_rate(bool has_weights, int64_t global_batch, int64_t fitted_micro_batch);

// For people, why they are so.
std::string about_batch(int64_t micro_batch, int64_t samples, int64_t parts);
std::string about_rate(double rate, bool has_weights, int64_t batch);

}  // namespace convoy
