#include "weights/tensorflow/tf_bundle.h"

#include <map>
#include <optional>

#include "base/crc32c.h"
#include "base/error.h"
#include "base/files/byte_reader.h"
#include "base/proto_fields.h"
#include "base/text/text.h"
#include "weights/tensorflow/sorted_table.h"
#include "weights/tensorflow/tf_object_graph.h"

namespace convoy {
namespace {

[[noreturn]] void bad(const std::string& origin, std::string_view why) {
  raise(Fault::checkpoint, "{}: not a sound TensorFlow checkpoint: {}; try: fetch or save it again",
        origin, why);
}

constexpr int string_type = 7;

// TensorFlow's DataType numbers.
std::optional<Element> element_of(uint64_t dtype) {
  switch (dtype) {
    case 1:
      return Element::f32;
    case 2:
      return Element::f64;
    case 3:
      return Element::s32;
    case 4:
      return Element::u8;
    case 5:
      return Element::s16;
    case 6:
      return Element::s8;
    case 8:
      return Element::complex64;
    case 9:
      return Element::s64;
    case 10:
      return Element::boolean;
    case 14:
      return Element::bf16;
    case 17:
      return Element::u16;
    case 18:
      return Element::complex128;
    case 19:
      return Element::f16;
    case 22:
      return Element::u32;
    case 23:
      return Element::u64;
    default:
      return std::nullopt;
  }
}

struct Header {
  uint64_t shards = 0, endianness = 0;
};

Header read_header(std::string_view message, const std::string& origin) {
  Header header;
  for_each_field(message, origin, "the header of the index", [&](const ProtoField& f) {
    if (f.number == 1) header.shards = f.value;
    if (f.number == 2) header.endianness = f.value;
  });
  if (header.shards < 1 || header.shards > 99999) bad(origin, "an odd number of data files");
  if (header.endianness != 0) {
    raise(Fault::checkpoint, "{} was saved on a big-endian machine; try: save it on another",
          origin);
  }
  return header;
}

struct Entry {
  std::string name;
  uint64_t dtype = 0, shard = 0, offset = 0, size = 0;
  uint32_t crc = 0;
  Shape shape;
  bool sliced = false;

  // The bytes of this entry in its data file.
  std::string_view in(std::string_view all, const std::string& origin) const {
    if (offset > all.size() || size > all.size() - offset) {
      bad(origin,
          fmt::format("{} lies outside of its data file of {} bytes", shown(name), all.size()));
    }
    return all.substr(static_cast<size_t>(offset), static_cast<size_t>(size));
  }
};

Shape read_shape(std::string_view message, const std::string& name, const std::string& origin) {
  Shape shape;
  for_each_field(message, origin, "the index", [&](const ProtoField& f) {
    if (f.number == 3 && f.value) bad(origin, fmt::format("{} has no shape", shown(name)));
    if (f.number != 2) return;
    int64_t size = 0;
    for_each_field(f.bytes, origin, "the index", [&](const ProtoField& dim) {
      if (dim.number == 1) size = static_cast<int64_t>(dim.value);
    });
    if (shape.rank() == Shape::max_rank) {
      bad(origin, fmt::format("{} has more than {} dimensions", shown(name), Shape::max_rank));
    }
    shape.append(size);
  });
  return shape;
}

Entry read_entry(TableEntry from, const std::string& origin) {
  Entry entry{.name = std::move(from.key)};
  for_each_field(from.value, origin, "the index", [&](const ProtoField& f) {
    switch (f.number) {
      case 1:
        entry.dtype = f.value;
        break;
      case 2:
        entry.shape = read_shape(f.bytes, entry.name, origin);
        break;
      case 3:
        entry.shard = f.value;
        break;
      case 4:
        entry.offset = f.value;
        break;
      case 5:
        entry.size = f.value;
        break;
      case 6:
        entry.crc = static_cast<uint32_t>(f.value);
        break;
      case 7:
        entry.sliced = true;
        break;
      default:
        break;
    }
  });
  return entry;
}

struct Strings {
  std::string_view bytes;  // concatenated
  uint32_t crc = 0;
};

// A tensor of strings: lengths as varints, a checksum of the lengths, then the bytes. The checksum
// of the whole tensor covers the lengths as fixed-size integers.
Strings read_strings(std::string_view bytes, int64_t count, const Entry& entry,
                     const std::string& origin) {
  ByteReader reader(bytes, origin, "a tensor of strings");
  uint32_t crc = 0;
  uint64_t total = 0;
  const auto add = [&](const auto& number) {
    crc = crc32c({reinterpret_cast<const char*>(&number), sizeof number}, crc);
  };
  for (int64_t i = 0; i < count; ++i) {
    const uint64_t length = reader.varint();
    if (__builtin_add_overflow(total, length, &total)) reader.fail("a string is too long");
    if (length <= UINT32_MAX) {
      add(static_cast<uint32_t>(length));
    } else {
      add(length);
    }
  }
  const uint32_t lengths = masked_crc32c(crc);
  if (reader.number<uint32_t>() != lengths) {
    bad(origin, fmt::format("the checksum of {} is wrong", shown(entry.name)));
  }
  add(lengths);
  const std::string_view strings = reader.take(total);
  if (!reader.done()) reader.fail("bytes follow the last string");
  return {strings, crc32c(strings, crc)};
}

}  // namespace

WeightData read_tf_bundle(std::string_view index, const std::string& origin,
                          const std::function<SharedBytes(int i, int n)>& shard) {
  std::vector<TableEntry> table = read_sorted_table(index, origin);
  if (table.empty() || !table.front().key.empty()) bad(origin, "the index has no header");
  const Header header = read_header(table.front().value, origin);

  std::vector<Entry> entries;
  std::map<uint64_t, SharedBytes> shards;
  size_t bytes = index.size();
  for (size_t i = 1; i < table.size(); ++i) {
    entries.push_back(read_entry(std::move(table[i]), origin));
    const Entry& entry = entries.back();
    if (entry.sliced) {
      raise(Fault::checkpoint,
            "{}: {} is cut into parts (a partitioned variable), which Convoy does not read; try: "
            "save it without a partitioner",
            origin, shown(entry.name));
    }
    if (entry.shard >= header.shards) {
      bad(origin, fmt::format("{} lies in a data file that does not exist", shown(entry.name)));
    }
    SharedBytes& data = shards[entry.shard];
    if (data) continue;
    data = shard(static_cast<int>(entry.shard), static_cast<int>(header.shards));
    bytes += data->size();
  }

  WeightData data(origin, bytes);
  for (const auto& [number, content] : shards) data.keep(content);
  std::map<std::string, std::string> full_names;
  for (const Entry& entry : entries) {
    if (entry.name != tf_object_graph_key || entry.dtype != string_type) continue;
    if (entry.shape.rank() != 0) bad(origin, "its graph of objects is no single string");
    const std::string_view content = entry.in(*shards.at(entry.shard), origin);
    full_names = tf_full_names(read_strings(content, 1, entry, origin).bytes, origin);
  }
  // The bytes of every tensor are checked, so tensors that share bytes could make us check them
  // many times: the total is limited.
  size_t left = bytes - index.size();
  for (const Entry& entry : entries) {
    const std::string_view content = entry.in(*shards.at(entry.shard), origin);
    if (content.size() > left) bad(origin, fmt::format("{} shares its bytes", shown(entry.name)));
    left -= content.size();
    const int64_t count = checked_count(entry.shape, entry.name, origin);
    const std::optional<Element> element = element_of(entry.dtype);
    const uint32_t crc = entry.dtype == string_type
                             ? read_strings(content, count, entry, origin).crc
                             : crc32c(content);
    if (masked_crc32c(crc) != entry.crc) {
      bad(origin, fmt::format("the checksum of {} is wrong", shown(entry.name)));
    }
    if (!element) {
      data.add_foreign(entry.name, entry.dtype == string_type
                                       ? "string"
                                       : fmt::format("TensorFlow type {}", entry.dtype));
      continue;
    }
    if (static_cast<uint64_t>(count) * element_bytes(*element) != entry.size) {
      bad(origin, fmt::format("{} ({} {}) has {} bytes", shown(entry.name), element_name(*element),
                              to_string(entry.shape), entry.size));
    }
    const auto full = full_names.find(entry.name);
    data.add(full == full_names.end() ? entry.name : full->second,
             View::row_major(*element, entry.shape), as_bytes(content));
  }
  return data;
}

WeightData read_tf_checkpoint(const fs::path& path) {
  const fs::path prefix = path.extension() == ".index" ? fs::path(path).replace_extension() : path;
  const std::string index = read_file(prefix.string() + ".index", Fault::checkpoint);
  return read_tf_bundle(index, prefix.string(), [&](int i, int n) {
    const std::string file = fmt::format("{}.data-{:05}-of-{:05}", prefix.string(), i, n);
    return std::make_shared<const std::string>(read_file(file, Fault::checkpoint));
  });
}

fs::path tf_newest_prefix(const fs::path& folder) {
  const fs::path file = folder / "checkpoint";
  constexpr std::string_view key = "model_checkpoint_path:";
  for (const std::string& line : split(read_file(file, Fault::checkpoint), '\n')) {
    if (!line.starts_with(key)) continue;
    const size_t begin = line.find('"'), end = line.rfind('"');
    if (begin == end) break;
    const fs::path named = line.substr(begin + 1, end - begin - 1);
    // If the folder was moved, the file still names the old location.
    return folder / (named.is_absolute() ? named.filename() : named);
  }
  raise(Fault::checkpoint, "{} does not name a checkpoint; try: the prefix of one", file.string());
}

}  // namespace convoy
