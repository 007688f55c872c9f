#include "weights/weight_data.h"

#include <algorithm>

#include "base/error.h"

namespace convoy {
namespace {

// Whether the elements are contiguous in row-major order.
bool is_row_major(const View& view) {
  int64_t stride = 1;
  for (int i = view.shape.rank() - 1; i >= 0; --i) {
    if (view.shape[i] != 1 && view.strides[static_cast<size_t>(i)] != stride) return false;
    stride *= view.shape[i];
  }
  return true;
}

}  // namespace

std::string shown(std::string_view name) {
  constexpr size_t most = 120;
  return name.size() <= most ? fmt::format("{:?}", name)
                             : fmt::format("{:?}…", name.substr(0, most));
}

View View::row_major(Element element, const Shape& shape) {
  View view{.element = element, .shape = shape};
  if (shape.count() == 0) return view;  // no element, so any offset is allowed
  int64_t stride = 1;
  for (int i = shape.rank() - 1; i >= 0; --i) {
    view.strides[static_cast<size_t>(i)] = stride;
    stride *= shape[i];
  }
  return view;
}

View View::column_major(Element element, const Shape& shape) {
  View view{.element = element, .shape = shape};
  if (shape.count() == 0) return view;
  int64_t stride = 1;
  for (int i = 0; i < shape.rank(); ++i) {
    view.strides[static_cast<size_t>(i)] = stride;
    stride *= shape[i];
  }
  return view;
}

int64_t checked_count(const Shape& shape, std::string_view name, const std::string& origin) {
  constexpr int64_t most = int64_t{1} << 48;
  int64_t count = 1;
  for (const int64_t dim : shape) {
    if (dim < 0 || __builtin_mul_overflow(count, std::max<int64_t>(dim, 1), &count) ||
        count > most) {
      raise(Fault::checkpoint,
            "{}: tensor {} has an impossible shape; try: fetch or save the file again", origin,
            shown(name));
    }
  }
  return shape.count();
}

WeightData::WeightData(std::string from, size_t covered)
    : origin(std::move(from)), covered_(covered) {}

// Limits names: a file can refer to one tensor many times, or give many tensors one long prefix.
void WeightData::account_for(const std::string& name) {
  constexpr size_t bytes_of_one = 32, anyway = 1024, name_bytes_anyway = 1 << 20;
  ++named_;
  name_bytes_ += name.size();
  if (named_ > covered_ / bytes_of_one + anyway || name_bytes_ > covered_ + name_bytes_anyway) {
    raise(Fault::checkpoint,
          "{}: {} tensors with {} bytes of names are more than a file of its size can hold; try: "
          "fetch or save it again",
          origin, named_, name_bytes_);
  }
}

std::span<std::byte> WeightData::allocate(const std::string& name, size_t bytes) {
  constexpr size_t times = 4, anyway = 64 * 1024;
  if (bytes > covered_ * times + anyway - allocated_) {
    raise(Fault::checkpoint,
          "{}: the views up to tensor {} would take more than {} times the file's size; try: save "
          "it with .contiguous() tensors",
          origin, shown(name), times);
  }
  allocated_ += bytes;
  copies_.push_back(std::make_unique<std::byte[]>(bytes));
  return {copies_.back().get(), bytes};
}

bool WeightData::add(std::string name, const View& view, Bytes storage) {
  const auto size = static_cast<int64_t>(element_bytes(view.element));
  const int64_t count = checked_count(view.shape, name, origin);
  // The offset of the last element. All numbers come from the file, so each operation is checked.
  int64_t last = view.offset;
  bool sound = view.offset >= 0;
  for (int i = 0; i < view.shape.rank(); ++i) {
    const int64_t stride = view.strides[static_cast<size_t>(i)];
    int64_t reach = 0;
    sound = sound && stride >= 0 &&
            !__builtin_mul_overflow(std::max<int64_t>(view.shape[i] - 1, 0), stride, &reach) &&
            !__builtin_add_overflow(last, reach, &last);
  }
  if (!sound || (count > 0 && last >= static_cast<int64_t>(storage.size()) / size)) {
    raise(Fault::checkpoint,
          "{}: tensor {} ({} {}) lies outside of its storage of {} bytes; try: fetch or save the "
          "file again",
          origin, shown(name), element_name(view.element), to_string(view.shape), storage.size());
  }
  const std::optional<DType> dtype = element_dtype(view.element);
  if (!dtype) {
    add_foreign(std::move(name), std::string(element_name(view.element)));
    return false;
  }
  account_for(name);
  TensorEntry entry{std::move(name), *dtype, view.shape, {}};
  const auto bytes_at = [&](int64_t element) {
    return storage.data() + static_cast<ptrdiff_t>(element * size);
  };
  if (count == 0) {
    tensors.push_back(std::move(entry));
    return false;
  }
  if (element_is_ours(view.element) && is_row_major(view)) {
    entry.data = {bytes_at(view.offset), static_cast<size_t>(count * size)};
    tensors.push_back(std::move(entry));
    return true;
  }
  const size_t wide = bytes_per_element(*dtype);
  const std::span<std::byte> copy = allocate(entry.name, static_cast<size_t>(count) * wide);
  std::array<int64_t, Shape::max_rank> at{};
  int64_t place = view.offset;
  for (int64_t i = 0; i < count; ++i) {
    convert_element(view.element, bytes_at(place), copy.data() + static_cast<size_t>(i) * wide);
    for (int d = view.shape.rank() - 1; d >= 0; --d) {
      const auto k = static_cast<size_t>(d);
      if (++at[k] < view.shape[d]) {
        place += view.strides[k];
        break;
      }
      place -= view.strides[k] * (view.shape[d] - 1);
      at[k] = 0;
    }
  }
  entry.data = copy;
  tensors.push_back(std::move(entry));
  return false;
}

void WeightData::add_foreign(std::string name, std::string type) {
  account_for(name);
  const auto [place, fresh] = foreign.emplace(std::move(name), std::move(type));
  if (!fresh) {
    raise(Fault::checkpoint, "{}: {} appears twice; try: fetch or save it again", origin,
          shown(place->first));
  }
}

void WeightData::finish() {
  std::sort(tensors.begin(), tensors.end(),
            [](const TensorEntry& a, const TensorEntry& b) { return a.name < b.name; });
  for (size_t i = 0; i < tensors.size(); ++i) {
    const std::string& name = tensors[i].name;
    if ((i > 0 && tensors[i - 1].name == name) || foreign.contains(name)) {
      raise(Fault::checkpoint, "{}: tensor {} appears twice; try: fetch or save it again", origin,
            shown(name));
    }
  }
}

}  // namespace convoy
