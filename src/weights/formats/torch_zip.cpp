// Files of torch.save since 1.6. The name of the first member distinguishes them from numpy's zip
// files.

#include "weights/torch/torch_file.h"
#include "weights/weight_file.h"
#include "weights/zip_file.h"

namespace convoy {

WeightFormat torch_zip_weight_format() {
  return {.name = "PyTorch (zip)",
          .help = ".pt .pth: torch.save since version 1.6",
          .recognises =
              [](const Glimpse& g) {
                const std::string_view first = first_zip_name(g.head);
                return !first.empty() && !first.ends_with(".npy");
              },
          .read =
              [](const fs::path& path) {
                return read_torch_zip(
                    std::make_shared<const std::string>(read_file(path, Fault::checkpoint)),
                    path.string());
              }};
}

}  // namespace convoy
