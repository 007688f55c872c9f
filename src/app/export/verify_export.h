// Whether an exported file computes what the network it came from does.
#pragma once

#include <cstdint>
#include <functional>
#include <string>
#include <vector>

#include "app/network/graph_run.h"

namespace convoy {

// Image number i of those that are compared, into c * h * w floats.
using ImageSource = std::function<void(int64_t i, float* image)>;

// By the key of their number: normal, deviation 1, as normalised pixels are.
ImageSource noise_images(int64_t floats);

struct Agreement {
  int64_t images = 0, same_top1 = 0;
  double absolute = 0;  // the largest difference of two outputs
  double relative = 0;  // the same as a share of the image's largest output
  bool good() const { return relative <= most; }
  static constexpr double most = 1e-4;
};

// Of all those outputs of the two networks, which take `batch` images at a time.
Agreement compare(GraphRun& network, GraphRun& exported, const std::vector<std::string>& outputs,
                  int64_t batch, int64_t floats, int64_t images, const ImageSource& source);

}  // namespace convoy
