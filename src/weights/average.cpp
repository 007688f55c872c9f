#include "weights/average.h"

#include "base/error.h"
#include "weights/small_float.h"

namespace convoy {

void WeightsAverage::check(const SafetensorsFile& file) const {
  if (!file.foreign().empty()) file.at(file.foreign().begin()->first);  // raises
  for (const TensorEntry& tensor : file.tensors()) {
    const auto sum = sums_.find(tensor.name);
    if (sum == sums_.end()) {
      raise(Fault::checkpoint, "{}: tensor {:?} is not in {}; try: weights of one model",
            file.origin(), tensor.name, first_);
    }
    const bool same_kind = is_float(tensor.dtype) == is_float(sum->second.dtype);
    if (tensor.shape != sum->second.shape || !same_kind) {
      raise(Fault::checkpoint,
            "{}: tensor {:?} is {} {}, in {} it is {} {}; try: weights of one model", file.origin(),
            tensor.name, name(tensor.dtype), to_string(tensor.shape), first_,
            name(sum->second.dtype), to_string(sum->second.shape));
    }
  }
  if (file.tensors().size() == sums_.size()) return;
  for (const auto& [name, sum] : sums_) {
    if (!file.find(name)) {
      raise(Fault::checkpoint, "{}: there is no tensor {:?}, as in {}; try: weights of one model",
            file.origin(), name, first_);
    }
  }
}

void WeightsAverage::add(const SafetensorsFile& file) {
  const bool is_first = files_ == 0;
  if (is_first) {
    first_ = file.origin();
    for (const TensorEntry& tensor : file.tensors()) {
      sums_[tensor.name] = {tensor.dtype, tensor.shape, {}, {}};
    }
  }
  check(file);
  for (const TensorEntry& tensor : file.tensors()) {
    Sum& sum = sums_.find(tensor.name)->second;
    sum.dtype = tensor.dtype;
    if (!is_float(tensor.dtype)) {
      sum.bytes.assign(tensor.data.begin(), tensor.data.end());
      continue;
    }
    sum.values.resize(static_cast<size_t>(tensor.shape.count()));
    for (size_t i = 0; i < sum.values.size(); ++i) {
      const double value = load_float(tensor.dtype, tensor.data, i);
      double& so_far = sum.values[i];
      so_far = is_first  ? value
               : !decay_ ? so_far + value
                         : *decay_ * so_far + (1 - *decay_) * value;
    }
  }
  ++files_;
}

std::vector<TensorEntry> WeightsAverage::result() {
  expect(files_ > 0, "the average of nothing");
  const double divisor = decay_ ? 1 : files_;
  std::vector<TensorEntry> all;
  for (auto& [name, sum] : sums_) {
    if (is_float(sum.dtype)) {
      sum.bytes.resize(sum.values.size() * bytes_per_element(sum.dtype));
      for (size_t i = 0; i < sum.values.size(); ++i) {
        store_float(sum.dtype, sum.values[i] / divisor, sum.bytes, i);
      }
      std::vector<double>().swap(sum.values);
    }
    all.push_back({name, sum.dtype, sum.shape, sum.bytes});
  }
  return all;
}

}  // namespace convoy
