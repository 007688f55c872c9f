#include "weights/safetensors.h"

#include <algorithm>
#include <array>
#include <bit>
#include <cstring>
#include <nlohmann/json.hpp>
#include <optional>
#include <set>

#include "base/text.h"

namespace convoy {
namespace {

using Json = nlohmann::json;

static_assert(std::endian::native == std::endian::little, "tensor bytes are used as they lie");

constexpr size_t length_bytes = 8;
constexpr uint64_t most_header_bytes = 100'000'000;  // as the reference implementation
constexpr std::string_view metadata_key = "__metadata__";

struct KnownType {
  std::string_view name;
  size_t bytes;
  std::optional<DType> ours;
};
constexpr std::array<KnownType, 17> known_types{{
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

std::string_view file_name_of(DType dtype) {
  for (const KnownType& type : known_types) {
    if (type.ours == dtype) return type.name;
  }
  broken_promise("a type safetensors does not have", std::source_location::current());
}

[[noreturn]] void bad_file(const std::string& origin, std::string_view why) {
  raise(Fault::checkpoint, "{}: not a sound safetensors file: {}; try: fetch or save it again",
        origin, why);
}

// One line, whatever the file calls its tensors.
std::string shown(std::string_view name) {
  constexpr size_t most = 120;
  return name.size() <= most ? fmt::format("{:?}", name)
                             : fmt::format("{:?}…", name.substr(0, most));
}

// The header is a flat object of small objects; what repeats a key or nests deeper is refused while
// it is read.
Json parse_header(std::string_view text, const std::string& origin) {
  std::vector<std::set<std::string>> keys;
  const auto watch = [&](int depth, Json::parse_event_t event, Json& value) {
    if (depth > 4) bad_file(origin, "the header nests too deeply");
    if (event == Json::parse_event_t::object_start) keys.emplace_back();
    if (event == Json::parse_event_t::object_end) keys.pop_back();
    if (event == Json::parse_event_t::key && !keys.back().insert(value).second) {
      bad_file(origin, fmt::format("{} appears twice", shown(value.get<std::string>())));
    }
    return true;
  };
  // The JSON reader would stop at a zero byte and skip a byte order mark.
  if (!text.starts_with('{')) bad_file(origin, "the header does not start with {");
  if (text.find('\0') != text.npos) bad_file(origin, "the header contains a zero byte");
  try {
    Json header = Json::parse(text, watch);
    if (!header.is_object()) bad_file(origin, "the header is not an object");
    return header;
  } catch (const Json::exception& error) {
    bad_file(origin, fmt::format("the header is not JSON: {:?}", std::string_view(error.what())));
  }
}

Metadata read_metadata(const Json& object, const std::string& origin) {
  if (!object.is_object()) bad_file(origin, "__metadata__ is not an object");
  Metadata metadata;
  for (const auto& [key, value] : object.items()) {
    if (!value.is_string()) {
      bad_file(origin, fmt::format("__metadata__ {} is not a string", shown(key)));
    }
    metadata[key] = value.get<std::string>();
  }
  return metadata;
}

struct Place {
  uint64_t begin = 0, end = 0;
};

struct Described {
  KnownType type{};
  Shape shape;
  Place place;
};

uint64_t whole_number(const Json& value, std::string_view what, std::string_view name,
                      const std::string& origin) {
  if (!value.is_number_unsigned() || value.get<uint64_t>() > INT64_MAX) {
    bad_file(origin, fmt::format("tensor {}: {} holds what is no whole number", shown(name), what));
  }
  return value.get<uint64_t>();
}

const Json& member(const Json& object, const char* key, Json::value_t kind, std::string_view name,
                   const std::string& origin) {
  const auto found = object.is_object() ? object.find(key) : object.end();
  if (!object.is_object() || found == object.end() || found->type() != kind) {
    bad_file(origin,
             fmt::format("tensor {}: {} is missing or of the wrong kind", shown(name), key));
  }
  return *found;
}

Described describe(std::string_view name, const Json& object, uint64_t data_bytes,
                   const std::string& origin) {
  Described tensor;
  const auto& type =
      member(object, "dtype", Json::value_t::string, name, origin).get_ref<const std::string&>();
  const auto known = std::find_if(known_types.begin(), known_types.end(),
                                  [&](const KnownType& k) { return k.name == type; });
  if (known == known_types.end()) {
    bad_file(origin, fmt::format("tensor {}: unknown dtype {}", shown(name), shown(type)));
  }
  tensor.type = *known;

  const Json& shape = member(object, "shape", Json::value_t::array, name, origin);
  if (shape.size() > Shape::max_rank) {
    bad_file(origin, fmt::format("tensor {}: rank {}, at most {} is known", shown(name),
                                 shape.size(), Shape::max_rank));
  }
  uint64_t bytes = tensor.type.bytes;
  for (const Json& dim : shape) {
    const uint64_t size = whole_number(dim, "shape", name, origin);
    if (__builtin_mul_overflow(bytes, size, &bytes) || bytes > INT64_MAX) {
      bad_file(origin, fmt::format("tensor {}: the shape is too large", shown(name)));
    }
    tensor.shape.append(static_cast<int64_t>(size));
  }

  const Json& offsets = member(object, "data_offsets", Json::value_t::array, name, origin);
  if (offsets.size() != 2) {
    bad_file(origin, fmt::format("tensor {}: data_offsets are not two", shown(name)));
  }
  tensor.place = {whole_number(offsets[0], "data_offsets", name, origin),
                  whole_number(offsets[1], "data_offsets", name, origin)};
  const Place& place = tensor.place;
  if (place.begin > place.end || place.end > data_bytes) {
    bad_file(origin, fmt::format("tensor {}: data_offsets [{}, {}] outside of {} bytes of data",
                                 shown(name), place.begin, place.end, data_bytes));
  }
  if (place.end - place.begin != bytes) {
    bad_file(origin,
             fmt::format("tensor {}: {} [{}] needs {} bytes, data_offsets give {}", shown(name),
                         type, to_string(tensor.shape), bytes, place.end - place.begin));
  }
  return tensor;
}

// Every byte of data belongs to one tensor.
void check_tiling(const std::map<std::string, Described>& tensors, uint64_t data_bytes,
                  const std::string& origin) {
  std::vector<std::pair<Place, std::string_view>> places;
  for (const auto& [name, tensor] : tensors) places.emplace_back(tensor.place, name);
  std::sort(places.begin(), places.end(), [](const auto& a, const auto& b) {
    return std::pair(a.first.begin, a.first.end) < std::pair(b.first.begin, b.first.end);
  });
  uint64_t covered = 0;
  for (const auto& [place, name] : places) {
    if (place.begin != covered) {
      bad_file(origin, fmt::format("tensor {}: {} before byte {} of the data", shown(name),
                                   place.begin < covered ? "overlaps what lies" : "leaves a hole",
                                   std::max(place.begin, covered)));
    }
    covered = place.end;
  }
  if (covered != data_bytes) {
    bad_file(origin, fmt::format("{} bytes after the last tensor", data_bytes - covered));
  }
}

}  // namespace

SafetensorsFile SafetensorsFile::read(const fs::path& path) {
  return SafetensorsFile(read_file(path, Fault::checkpoint), path.string());
}

SafetensorsFile::SafetensorsFile(std::string bytes, std::string origin)
    : origin_(std::move(origin)), bytes_(std::make_unique<const std::string>(std::move(bytes))) {
  const std::string_view all = *bytes_;
  if (all.size() < length_bytes) bad_file(origin_, fmt::format("only {} bytes", all.size()));
  uint64_t header_bytes = 0;
  std::memcpy(&header_bytes, all.data(), length_bytes);
  if (header_bytes > most_header_bytes || header_bytes > all.size() - length_bytes) {
    bad_file(origin_,
             fmt::format("a header of {} bytes in a file of {}", header_bytes, all.size()));
  }
  const Json header = parse_header(all.substr(length_bytes, header_bytes), origin_);
  const std::string_view data = all.substr(length_bytes + header_bytes);

  std::map<std::string, Described> described;
  for (const auto& [name, object] : header.items()) {
    if (name == metadata_key) {
      metadata_ = read_metadata(object, origin_);
    } else {
      described[name] = describe(name, object, data.size(), origin_);
    }
  }
  check_tiling(described, data.size(), origin_);

  for (const auto& [name, tensor] : described) {
    const Place& place = tensor.place;
    const auto content =
        std::as_bytes(std::span(data).subspan(place.begin, place.end - place.begin));
    if (tensor.type.ours) {
      tensors_.push_back(
          {.name = name, .dtype = *tensor.type.ours, .shape = tensor.shape, .data = content});
    } else {
      foreign_[name] = tensor.type.name;
      foreign_tensors_.push_back({name, tensor.type.name, tensor.shape, content});
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
  Json header{{metadata_key, metadata}};
  size_t offset = 0;
  for (const TensorEntry* tensor : order) {
    const size_t bytes = tensor->data.size();
    expect(bytes == static_cast<size_t>(tensor->shape.count()) * bytes_per_element(tensor->dtype),
           "a tensor's bytes do not fit its shape");
    expect(!header.contains(tensor->name), "two tensors of one name in one file");
    header[tensor->name] = {
        {"dtype", file_name_of(tensor->dtype)},
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
                       Metadata metadata) {
  const SafetensorsImage image(tensors, std::move(metadata));
  write_atomically(path, image.parts(), Fault::checkpoint);
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
