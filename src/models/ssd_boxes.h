// The default boxes of an SSD network, from its options and the size of its images. The first map
// has an eighth of the image's side; each further one is made by an extra layer, which halves a map
// (rounded up) or, where 3 to 5 cells are left, takes two cells away.
#pragma once

#include <string>
#include <vector>

#include "boxes/default_boxes.h"
#include "config/fields.h"

namespace convoy {

struct SsdBoxOptions {
  int levels = 0;
  std::vector<double> scales, ratios;
  std::vector<std::string> shapes;

  void describe(Fields& field);
};

// What a network has without options.
struct SsdBoxForm {
  std::vector<double> scales;               // as --box-scales; one more than there are maps
  std::vector<std::vector<double>> ratios;  // of each map
  // The table for images of this size where no option says otherwise; null: none.
  const DefaultBoxSpec* published = nullptr;

  size_t levels() const { return ratios.size(); }
};

// Whether the extra layer behind a map of this size halves it.
bool ssd_halves(int64_t cells);

// How many maps there are: of a network with these options, whatever the size of its images.
size_t ssd_levels(const SsdBoxForm& form, const SsdBoxOptions& options);

// Options that contradict each other, and images too small for all maps, are usage errors.
DefaultBoxSpec ssd_boxes(const SsdBoxForm& form, const SsdBoxOptions& options, int64_t side);

}  // namespace convoy
