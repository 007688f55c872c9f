#include "app/predict/image_tensor.h"

#include <algorithm>
#include <cstring>

#include "base/error.h"
#include "weights/weight_file.h"

namespace convoy {
namespace {

const TensorEntry* find_any(const WeightFile& file, const char* one, const char* other) {
  const TensorEntry* found = file.find(one);
  return found ? found : file.find(other);
}

const TensorEntry& images_in(const WeightFile& file) {
  if (const TensorEntry* named = find_any(file, "images", "image")) return *named;
  const TensorEntry* only = nullptr;
  for (const TensorEntry& tensor : file.tensors()) {
    if (tensor.shape.rank() != 4) continue;
    if (only) {
      raise(Fault::data, "{}: {} and {} may both be the images; try: call one of them images",
            file.origin(), only->name, tensor.name);
    }
    only = &tensor;
  }
  if (!only)
    raise(Fault::data, "{}: no tensor of four dimensions is in it; try: f32 [n, c, h, w], or bytes",
          file.origin());
  return *only;
}

template <class T>
int64_t element(std::span<const std::byte> data, size_t index) {
  T value{};
  std::memcpy(&value, data.data() + index * sizeof value, sizeof value);
  return static_cast<int64_t>(value);
}

std::vector<int32_t> labels_of(const TensorEntry& tensor, int64_t images,
                               const std::string& origin) {
  const bool is_whole =
      tensor.dtype == DType::s32 || tensor.dtype == DType::s64 || tensor.dtype == DType::u8;
  if (tensor.shape != Shape{images} || !is_whole) {
    raise(Fault::data, "{}: {} is {} {}; try: {} whole numbers", origin, tensor.name,
          name(tensor.dtype), to_string(tensor.shape), images);
  }
  std::vector<int32_t> labels;
  for (size_t i = 0; i < static_cast<size_t>(images); ++i) {
    const int64_t label = tensor.dtype == DType::s32   ? element<int32_t>(tensor.data, i)
                          : tensor.dtype == DType::s64 ? element<int64_t>(tensor.data, i)
                                                       : element<uint8_t>(tensor.data, i);
    if (label < 0 || label > INT32_MAX) {
      raise(Fault::data, "{}: image {} has the label {}", origin, i, label);
    }
    labels.push_back(static_cast<int32_t>(label));
  }
  return labels;
}

ImageTensor from_file(const fs::path& path) {
  const WeightFile file = WeightFile::read(path);
  const TensorEntry& images = images_in(file);
  ImageTensor tensor{.origin = path.string(),
                     .dtype = images.dtype,
                     .shape = images.shape,
                     .data = {images.data.begin(), images.data.end()},
                     .labels = {}};
  const TensorEntry* labels = find_any(file, "labels", "label");
  if (labels && images.shape.rank() == 4) {
    tensor.labels = labels_of(*labels, images.shape[0], path.string());
  }
  return tensor;
}

}  // namespace

ImageTensor read_images(const fs::path& path) {
  const std::string ending = path.extension().string();
  constexpr std::string_view known[] = {".npy", ".npz", ".safetensors", ".pt", ".pth"};
  if (std::ranges::find(known, ending) == std::end(known)) {
    raise(Fault::data,
          "{} is neither a picture nor a file of tensors, by its ending; try: .jpg, .png, .npy or "
          ".safetensors",
          path.string());
  }
  ImageTensor tensor;
  try {
    tensor = from_file(path);
  } catch (const Error& error) {
    // Here a file of tensors is data, not a checkpoint.
    if (error.fault() != Fault::checkpoint) throw;
    throw Error(Fault::data, error.what());
  }
  const bool is_known = tensor.dtype == DType::f32 || tensor.dtype == DType::u8;
  if (tensor.shape.rank() != 4 || !is_known) {
    raise(Fault::data, "{}: it holds {} {}; try: f32 [n, c, h, w], or bytes", tensor.origin,
          name(tensor.dtype), to_string(tensor.shape));
  }
  if (tensor.shape.count() == 0) {
    raise(Fault::data, "{}: there is no image in it; try: another file", tensor.origin);
  }
  return tensor;
}

void settle_layout(ImageTensor& tensor, const std::optional<Shape>& image, int64_t channels) {
  const auto fits = [&] {
    return image ? tensor.image() == *image : tensor.image()[0] == channels;
  };
  tensor.channels_last = false;
  if (fits()) return;
  tensor.channels_last = tensor.dtype == DType::u8;
  if (fits()) return;
  raise(Fault::data, "{}: it holds {} {}, the weights want images of {}; try: {}", tensor.origin,
        name(tensor.dtype), to_string(tensor.shape),
        image ? to_string(*image) : fmt::format("{} channels", channels),
        tensor.dtype == DType::u8 ? "bytes [n, c, h, w] or [n, h, w, c] of that size"
                                  : "f32 [n, c, h, w] of that size");
}

void ImageTensorDataset::read(int64_t index, uint64_t, Sample& sample) const {
  sample.add_label(tensor_.labels.empty() ? 0 : tensor_.labels[static_cast<size_t>(index)]);
  const Shape image = tensor_.image();
  sample.geometry = whole_picture(image);
  uint8_t* pixels = sample.pixels();
  const int64_t count = image.count(), channels = image[0], plane = image[1] * image[2];
  const auto* from = reinterpret_cast<const uint8_t*>(tensor_.data.data()) + index * count;
  if (!tensor_.channels_last) {
    std::copy_n(from, count, pixels);
    return;
  }
  for (int64_t c = 0; c < channels; ++c) {
    for (int64_t i = 0; i < plane; ++i) pixels[c * plane + i] = from[i * channels + c];
  }
}

}  // namespace convoy
