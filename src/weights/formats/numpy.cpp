// numpy.save and numpy.savez. A zip file whose first member is a .npy array is recognised as
// numpy's.

#include "weights/numpy_file.h"
#include "weights/weight_file.h"
#include "weights/zip_file.h"

namespace convoy {
namespace {

bool is_npy(const Glimpse& g) { return g.head.starts_with(npy_magic); }

bool is_npz(const Glimpse& g) { return first_zip_name(g.head).ends_with(".npy"); }

WeightData read(const fs::path& path) {
  auto bytes = std::make_shared<const std::string>(read_file(path, Fault::checkpoint));
  if (bytes->starts_with(npy_magic)) return read_npy(bytes, path.string(), path.stem().string());
  return read_npz(bytes, path.string());
}

}  // namespace

WeightFormat numpy_weight_format() {
  return {.name = "numpy",
          .help = ".npz .npy: numpy.savez, plain or compressed, and numpy.save",
          .recognises = [](const Glimpse& g) { return is_npy(g) || is_npz(g); },
          .read = read};
}

}  // namespace convoy
