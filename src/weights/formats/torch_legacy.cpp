// Files of torch.save before 1.6, or today with _use_new_zipfile_serialization=False.

#include "weights/torch/torch_file.h"
#include "weights/weight_file.h"

namespace convoy {

WeightFormat torch_legacy_weight_format() {
  return {.name = "PyTorch (legacy)",
          .help = ".th .tar .pth: torch.save before version 1.6",
          // Accepts any pickle; the reader then tells the user if it is not one of torch.save.
          .recognises =
              [](const Glimpse& g) {
                return g.head.size() > 2 && g.head[0] == '\x80' && g.head[1] >= 2 && g.head[1] <= 5;
              },
          .read =
              [](const fs::path& path) {
                return read_torch_legacy(
                    std::make_shared<const std::string>(read_file(path, Fault::checkpoint)),
                    path.string());
              }};
}

}  // namespace convoy
