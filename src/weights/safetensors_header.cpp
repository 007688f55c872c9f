#include "weights/safetensors_header.h"

#include <algorithm>
#include <array>
#include <nlohmann/json.hpp>

#include "base/text/json.h"
#include "weights/weight_data.h"

namespace convoy {
namespace {

using Json = nlohmann::json;
using Tensor = SafetensorsHeader::Tensor;

constexpr std::array<SafetensorsType, 17> known_types{{
    {"F32", 4, DType::f32},
    {"BF16", 2, DType::bf16},
    {"F16", 2, DType::f16},
    {"I32", 4, DType::s32},
    {"I64", 8, DType::s64},
    {"U8", 1, DType::u8},
    {"F64", 8, std::nullopt},
    {"C64", 8, std::nullopt},
    {"U64", 8, std::nullopt},
    {"U32", 4, std::nullopt},
    {"I16", 2, std::nullopt},
    {"U16", 2, std::nullopt},
    {"I8", 1, std::nullopt},
    {"BOOL", 1, std::nullopt},
    {"F8_E5M2", 1, std::nullopt},
    {"F8_E4M3", 1, std::nullopt},
    {"F8_E8M0", 1, std::nullopt},
}};

Metadata read_metadata(const Json& object, const std::string& origin) {
  if (!object.is_object()) bad_safetensors(origin, "__metadata__ is not an object");
  Metadata metadata;
  for (const auto& [key, value] : object.items()) {
    if (!value.is_string()) {
      bad_safetensors(origin, fmt::format("__metadata__ {} is not a string", shown(key)));
    }
    metadata[key] = value.get<std::string>();
  }
  return metadata;
}

uint64_t whole_number(const Json& value, std::string_view what, std::string_view name,
                      const std::string& origin) {
  if (!value.is_number_unsigned() || value.get<uint64_t>() > INT64_MAX) {
    bad_safetensors(origin, fmt::format("tensor {}: {} has a value that is no whole number",
                                        shown(name), what));
  }
  return value.get<uint64_t>();
}

const Json& member(const Json& object, const char* key, Json::value_t kind, std::string_view name,
                   const std::string& origin) {
  const auto found = object.is_object() ? object.find(key) : object.end();
  if (!object.is_object() || found == object.end() || found->type() != kind) {
    bad_safetensors(origin,
                    fmt::format("tensor {}: {} is missing or of the wrong kind", shown(name), key));
  }
  return *found;
}

Tensor describe(const std::string& name, const Json& object, uint64_t data_bytes,
                const std::string& origin) {
  Tensor tensor{.name = name};
  const auto& type =
      member(object, "dtype", Json::value_t::string, name, origin).get_ref<const std::string&>();
  const auto known = std::find_if(known_types.begin(), known_types.end(),
                                  [&](const SafetensorsType& k) { return k.name == type; });
  if (known == known_types.end()) {
    bad_safetensors(origin, fmt::format("tensor {}: unknown dtype {}", shown(name), shown(type)));
  }
  tensor.type = &*known;

  const Json& shape = member(object, "shape", Json::value_t::array, name, origin);
  if (shape.size() > Shape::max_rank) {
    bad_safetensors(origin, fmt::format("tensor {}: rank {}, at most {} is known", shown(name),
                                        shape.size(), Shape::max_rank));
  }
  uint64_t bytes = tensor.type->bytes;
  for (const Json& dim : shape) {
    const uint64_t size = whole_number(dim, "shape", name, origin);
    if (__builtin_mul_overflow(bytes, size, &bytes) || bytes > INT64_MAX) {
      bad_safetensors(origin, fmt::format("tensor {}: the shape is too large", shown(name)));
    }
    tensor.shape.append(static_cast<int64_t>(size));
  }

  const Json& offsets = member(object, "data_offsets", Json::value_t::array, name, origin);
  if (offsets.size() != 2) {
    bad_safetensors(origin, fmt::format("tensor {}: data_offsets are not two", shown(name)));
  }
  tensor.begin = whole_number(offsets[0], "data_offsets", name, origin);
  tensor.end = whole_number(offsets[1], "data_offsets", name, origin);
  if (tensor.begin > tensor.end || tensor.end > data_bytes) {
    bad_safetensors(origin,
                    fmt::format("tensor {}: data_offsets [{}, {}] outside of {} bytes of data",
                                shown(name), tensor.begin, tensor.end, data_bytes));
  }
  if (tensor.end - tensor.begin != bytes) {
    bad_safetensors(
        origin, fmt::format("tensor {}: {} [{}] needs {} bytes, data_offsets give {}", shown(name),
                            type, to_string(tensor.shape), bytes, tensor.end - tensor.begin));
  }
  return tensor;
}

// Checks that every byte of the data belongs to exactly one tensor.
void check_tiling(const std::deque<Tensor>& tensors, uint64_t data_bytes,
                  const std::string& origin) {
  std::vector<const Tensor*> places;
  places.reserve(tensors.size());
  for (const Tensor& tensor : tensors) places.push_back(&tensor);
  std::sort(places.begin(), places.end(), [](const Tensor* a, const Tensor* b) {
    return std::pair(a->begin, a->end) < std::pair(b->begin, b->end);
  });
  uint64_t covered = 0;
  for (const Tensor* tensor : places) {
    if (tensor->begin != covered) {
      bad_safetensors(origin,
                      fmt::format("tensor {}: {} before byte {} of the data", shown(tensor->name),
                                  tensor->begin < covered ? "overlaps what lies" : "leaves a hole",
                                  std::max(tensor->begin, covered)));
    }
    covered = tensor->end;
  }
  if (covered != data_bytes) {
    bad_safetensors(origin, fmt::format("{} bytes after the last tensor", data_bytes - covered));
  }
}

void sort_by_name(std::deque<Tensor>& tensors, const std::string& origin) {
  const auto by_name = [](const Tensor& a, const Tensor& b) { return a.name < b.name; };
  std::sort(tensors.begin(), tensors.end(), by_name);
  const auto twice =
      std::adjacent_find(tensors.begin(), tensors.end(),
                         [](const Tensor& a, const Tensor& b) { return a.name == b.name; });
  if (twice != tensors.end()) {
    bad_safetensors(origin, fmt::format("{} appears twice", shown(twice->name)));
  }
}

}  // namespace

void bad_safetensors(const std::string& origin, std::string_view why) {
  raise(Fault::checkpoint, "{}: not a sound safetensors file: {}; try: fetch or save it again",
        origin, why);
}

std::string_view safetensors_name_of(DType dtype) {
  for (const SafetensorsType& type : known_types) {
    if (type.ours == dtype) return type.name;
  }
  broken_promise("a type safetensors does not have", std::source_location::current());
}

SafetensorsHeader read_safetensors_header(std::string_view text, uint64_t data_bytes,
                                          const std::string& origin) {
  if (!text.starts_with('{')) bad_safetensors(origin, "the header does not start with {");
  SafetensorsHeader header;
  bool has_metadata = false;
  try {
    const JsonLimits limits{.bytes = most_safetensors_header, .depth = 4, .values = 1 << 16};
    for_each_json_member(text, limits, [&](const std::string& name, const Json& value) {
      if (name != safetensors_metadata_key) {
        header.tensors.push_back(describe(name, value, data_bytes, origin));
      } else if (!std::exchange(has_metadata, true)) {
        header.metadata = read_metadata(value, origin);
      } else {
        bad_safetensors(origin, "__metadata__ appears twice");
      }
    });
  } catch (const JsonError& error) {
    bad_safetensors(origin, fmt::format("the header {}", error.what()));
  }
  sort_by_name(header.tensors, origin);
  check_tiling(header.tensors, data_bytes, origin);
  return header;
}

}  // namespace convoy
