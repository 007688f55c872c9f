#include "train/checkpoint/tensors.h"

#include <cstring>

#include "base/error.h"

namespace convoy {
namespace {

constexpr std::string_view mean_suffix = ".running_mean";
constexpr std::string_view count_suffix = ".num_batches_tracked";

TensorEntry entry(const StateLayout::Slot& slot, std::string name, std::span<float> region) {
  const auto values =
      region.subspan(static_cast<size_t>(slot.offset), static_cast<size_t>(slot.count));
  return {std::move(name), DType::f32, slot.shape, std::as_bytes(values)};
}

}  // namespace

std::vector<TensorEntry> model_tensors(const StateLayout& layout, std::span<float> params,
                                       std::span<float> stats) {
  std::vector<TensorEntry> all;
  for (const auto& slot : layout.params) all.push_back(entry(slot, slot.name, params));
  for (const auto& slot : layout.stats) all.push_back(entry(slot, slot.name, stats));
  return all;
}

std::vector<TensorEntry> with_batch_counts(std::vector<TensorEntry> tensors,
                                           const int64_t& updates) {
  std::vector<TensorEntry> counts;
  for (const TensorEntry& t : tensors) {
    if (!t.name.ends_with(mean_suffix)) continue;
    const std::string owner = t.name.substr(0, t.name.size() - mean_suffix.size());
    counts.push_back(
        {owner + std::string(count_suffix), DType::s64, {}, std::as_bytes(std::span(&updates, 1))});
  }
  tensors.insert(tensors.end(), counts.begin(), counts.end());
  return tensors;
}

std::vector<TensorEntry> slot_tensors(const StateLayout& layout, const std::string& slot,
                                      std::span<float> values) {
  std::vector<TensorEntry> all;
  for (const auto& p : layout.params) all.push_back(entry(p, slot + "." + p.name, values));
  return all;
}

void copy_tensors(const SafetensorsFile& file, const std::vector<TensorEntry>& into) {
  size_t known = 0;
  for (const TensorEntry& target : into) {
    const TensorEntry& source = file.at(target.name);
    if (source.shape != target.shape || source.dtype != target.dtype) {
      raise(Fault::checkpoint,
            "{}: {} is {} {}, the model has {} {}; try: --model and --num-classes of that file",
            file.origin(), target.name, name(source.dtype), to_string(source.shape),
            name(target.dtype), to_string(target.shape));
    }
    std::memcpy(const_cast<std::byte*>(target.data.data()), source.data.data(), target.data.size());
    ++known;
  }
  for (const TensorEntry& source : file.tensors()) {
    if (source.name.ends_with(count_suffix)) continue;
    bool wanted = false;
    for (const TensorEntry& target : into) wanted = wanted || target.name == source.name;
    if (!wanted) {
      raise(Fault::checkpoint,
            "{}: the model has no tensor {} ({} tensors do fit); try: another --model",
            file.origin(), source.name, known);
    }
  }
}

}  // namespace convoy
