// Bytes to floats by table, not by arithmetic: the loader uses the same tables if it normalises, so
// both give the same bits.

#include "ops/byte_image.h"

#include <fmt/core.h>

#include "base/error.h"
#include "kernels/pictures/look_up.h"
#include "ops/elementwise/elementwise_kernel.h"
#include "ops/family.h"

namespace convoy::ops {
namespace {

constexpr int64_t byte_values = 256;

struct Attrs {
  ByteTables tables;
};

std::string describe(const Node& n) {
  const std::vector<float>& tables = *n.attrs<Attrs>().tables;
  return fmt::format("{:.4g}..{:.4g}", tables.front(), tables.back());
}

Types infer(const Node& n, std::span<const TensorType> in) {
  if (in[0].dtype != DType::u8 || in[0].shape.rank() != 4) {
    raise(Fault::usage, "byte_image needs u8 images [n, c, h, w], not {}", to_string(in[0]));
  }
  const ByteTables& tables = n.attrs<Attrs>().tables;
  const auto entries = tables ? static_cast<int64_t>(tables->size()) : 0;
  if (entries != in[0].shape[1] * byte_values) {
    raise(Fault::usage, "byte_image of {} needs {} tables of 256 values, not {} values",
          to_string(in[0].shape), in[0].shape[1], entries);
  }
  return {{in[0].shape, n.stores}};
}

void look_up(const uint8_t* bytes, int64_t count, const float* table, float* to) {
  kernels::look_up(bytes, count, table, to);
}
template <class T>
void look_up(const uint8_t* bytes, int64_t count, const T* table, T* to) {
  for (int64_t i = 0; i < count; ++i) to[i] = table[bytes[i]];
}

template <class T>
std::unique_ptr<Kernel> kernel_in(const Node& n, const KernelSite& site) {
  const Shape& shape = site.in[0].shape;
  const int64_t channels = shape[1], plane = shape[2] * shape[3];
  const auto bytes = site.input<uint8_t>(0);
  const auto y = site.output<T>(0);
  std::vector<T> tables;
  for (const float value : *n.attrs<Attrs>().tables) tables.push_back(rounded_to<T>(value));
  return by_chunks(site, [=](const KernelArgs& args, int64_t at, int64_t count) {
    const uint8_t* pixels = bytes(args);
    T* out = y(args);
    for (const int64_t end = at + count; at < end;) {
      const T* table = tables.data() + at / plane % channels * byte_values;
      const int64_t last = std::min(end, (at / plane + 1) * plane);
      look_up(pixels + at, last - at, table, out + at);
      at = last;
    }
  });
}

std::unique_ptr<Kernel> kernel(const Node& n, const KernelSite& site) {
  return by_storage(site.out[0], [&]<class T>() { return kernel_in<T>(n, site); });
}

const OpDef byte_image_def{.name = "byte_image",
                           .infer = infer,
                           .kernel = kernel,
                           .chooses_storage = true,
                           .describe = describe};

}  // namespace

Value byte_image(Builder& b, Value image, ByteTables tables) {
  return b.emit(byte_image_def, {image}, Attrs{std::move(tables)});
}

OpFamily byte_image_ops() { return {.ops = {&byte_image_def}}; }

}  // namespace convoy::ops
