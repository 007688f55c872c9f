// Generated images with objects, for detection: each class has a coarse pattern, each image shows a
// few rectangles of such patterns on noise. A pure function of seed and index, for benchmarks,
// tests and dry runs.
#pragma once

#include <memory>

#include "data/dataset.h"

namespace convoy {

// Of `spec` it takes the members for generated data. `spec.classes` counts the background, which
// is class 0: at least 2.
std::unique_ptr<Dataset> generated_objects(const DatasetSpec& spec);

}  // namespace convoy
