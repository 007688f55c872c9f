// Checks that an exported file computes the same outputs as its network.
#pragma once

#include <cstdint>
#include <functional>
#include <string>
#include <vector>

#include "app/network/graph_run.h"

namespace convoy {

// Writes image number i of the comparison into c * h * w floats.
using ImageSource = std::function<void(int64_t i, float* image)>;

// Normally distributed noise with deviation 1, like normalised pixels; a function of the image
// number.
ImageSource noise_images(int64_t floats);

struct Agreement {
  int64_t images = 0, same_top1 = 0;
  double absolute = 0;  // the largest difference of two outputs
  double relative = 0;  // the same relative to the image's largest output
  bool good() const { return relative <= most; }
  static constexpr double most = 1e-4;
};

// Compares these outputs of the two networks, which take `batch` images at a time.
Agreement compare(GraphRun& network, GraphRun& exported, const std::vector<std::string>& outputs,
                  int64_t batch, int64_t floats, int64_t images, const ImageSource& source);

}  // namespace convoy
