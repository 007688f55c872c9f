#include "weights/safetensors.h"

#include <algorithm>
#include <bit>
#include <cstring>
#include <nlohmann/json.hpp>

#include "base/text/text.h"
#include "weights/safetensors_header.h"
#include "weights/weight_data.h"

namespace convoy {
namespace {

using Json = nlohmann::json;

static_assert(std::endian::native == std::endian::little, "tensor bytes are used as they lie");

constexpr size_t length_bytes = 8;

}  // namespace

SafetensorsFile SafetensorsFile::read(const fs::path& path) {
  return SafetensorsFile(read_file(path, Fault::checkpoint), path.string());
}

SafetensorsFile::SafetensorsFile(std::string bytes, std::string origin)
    : origin_(std::move(origin)), bytes_(std::make_unique<const std::string>(std::move(bytes))) {
  const std::string_view all = *bytes_;
  if (all.size() < length_bytes) bad_safetensors(origin_, fmt::format("only {} bytes", all.size()));
  uint64_t header_bytes = 0;
  std::memcpy(&header_bytes, all.data(), length_bytes);
  if (header_bytes > most_safetensors_header || header_bytes > all.size() - length_bytes) {
    bad_safetensors(origin_,
                    fmt::format("a header of {} bytes in a file of {}", header_bytes, all.size()));
  }
  const std::string_view data = all.substr(length_bytes + header_bytes);
  SafetensorsHeader header =
      read_safetensors_header(all.substr(length_bytes, header_bytes), data.size(), origin_);
  metadata_ = std::move(header.metadata);
  for (; !header.tensors.empty(); header.tensors.pop_front()) {
    SafetensorsHeader::Tensor& tensor = header.tensors.front();
    const auto content =
        std::as_bytes(std::span(data).subspan(tensor.begin, tensor.end - tensor.begin));
    if (tensor.type->ours) {
      tensors_.push_back({.name = std::move(tensor.name),
                          .dtype = *tensor.type->ours,
                          .shape = tensor.shape,
                          .data = content});
    } else {
      foreign_[tensor.name] = tensor.type->name;
      foreign_tensors_.push_back(
          {std::move(tensor.name), tensor.type->name, tensor.shape, content});
    }
  }
}

const TensorEntry* SafetensorsFile::find(std::string_view name) const {
  const auto found = std::lower_bound(
      tensors_.begin(), tensors_.end(), name,
      [](const TensorEntry& tensor, std::string_view wanted) { return tensor.name < wanted; });
  if (found != tensors_.end() && found->name == name) return &*found;
  if (const auto other = foreign_.find(std::string(name)); other != foreign_.end()) {
    raise(Fault::checkpoint,
          "{}: tensor {} has dtype {}, which Convoy does not use; try: save it as F32", origin_,
          shown(name), other->second);
  }
  return nullptr;
}

const TensorEntry& SafetensorsFile::at(std::string_view name) const {
  if (const TensorEntry* tensor = find(name)) return *tensor;
  std::vector<std::string> names;
  for (const TensorEntry& tensor : tensors_) names.push_back(tensor.name);
  const std::string near = nearest(name, names);
  raise(Fault::checkpoint, "{}: no tensor {}{}; try: weights of the same model", origin_,
        shown(name), near.empty() ? "" : fmt::format(" (nearest: {})", shown(near)));
}

SafetensorsImage::SafetensorsImage(std::span<const TensorEntry> tensors, Metadata metadata) {
  std::vector<const TensorEntry*> order;
  for (const TensorEntry& tensor : tensors) order.push_back(&tensor);
  std::sort(order.begin(), order.end(), [](const TensorEntry* a, const TensorEntry* b) {
    const size_t a_bytes = bytes_per_element(a->dtype), b_bytes = bytes_per_element(b->dtype);
    return a_bytes != b_bytes ? a_bytes > b_bytes : a->name < b->name;
  });

  metadata["format"] = "pt";
  Json header{{safetensors_metadata_key, metadata}};
  size_t offset = 0;
  for (const TensorEntry* tensor : order) {
    const size_t bytes = tensor->data.size();
    expect(bytes == static_cast<size_t>(tensor->shape.count()) * bytes_per_element(tensor->dtype),
           "a tensor's bytes do not fit its shape");
    expect(!header.contains(tensor->name), "two tensors of one name in one file");
    header[tensor->name] = {
        {"dtype", safetensors_name_of(tensor->dtype)},
        {"shape", std::vector<int64_t>(tensor->shape.begin(), tensor->shape.end())},
        {"data_offsets", {offset, offset + bytes}}};
    data_.emplace_back(reinterpret_cast<const char*>(tensor->data.data()), bytes);
    offset += bytes;
  }

  std::string text = header.dump();
  text.resize(static_cast<size_t>(round_up(static_cast<int64_t>(text.size()), 8)), ' ');
  const uint64_t length = text.size();
  header_.resize(length_bytes);
  std::memcpy(header_.data(), &length, length_bytes);
  header_ += text;
}

std::vector<std::string_view> SafetensorsImage::parts() const {
  std::vector<std::string_view> all{header_};
  all.insert(all.end(), data_.begin(), data_.end());
  return all;
}

size_t SafetensorsImage::bytes() const {
  size_t sum = 0;
  for (const std::string_view part : parts()) sum += part.size();
  return sum;
}

void write_safetensors(const fs::path& path, std::span<const TensorEntry> tensors,
                       Metadata metadata, Fault fault) {
  const SafetensorsImage image(tensors, std::move(metadata));
  write_atomically(path, image.parts(), fault);
}

std::string weights_hash(std::span<const TensorEntry> tensors) {
  std::map<std::string_view, std::string_view> sorted;
  for (const TensorEntry& tensor : tensors) {
    if (tensor.name.ends_with("num_batches_tracked")) continue;
    sorted[tensor.name] = {reinterpret_cast<const char*>(tensor.data.data()), tensor.data.size()};
  }
  std::vector<std::string_view> parts;
  for (const auto& [name, data] : sorted) parts.push_back(data);
  return hash_hex(hash_parts(parts));
}

}  // namespace convoy
