#include "support/weight_writers.h"

#include <fmt/core.h>
#include <snappy-c.h>
#include <zlib.h>

#include <algorithm>
#include <cstring>

#include "base/crc32c.h"
#include "weights/tensorflow/sorted_table.h"
#include "weights/torch/torch_file.h"

namespace convoy::test {

std::string floats(const std::vector<float>& values) {
  return {reinterpret_cast<const char*>(values.data()), values.size() * sizeof(float)};
}

std::string zip_of(const std::vector<ZipPart>& parts) {
  std::string file, directory;
  for (const ZipPart& part : parts) {
    std::string packed = part.content;
    if (part.deflate) {
      packed.assign(compressBound(part.content.size()) + 16, '\0');
      z_stream z{};
      deflateInit2(&z, 9, Z_DEFLATED, -15, 8, Z_DEFAULT_STRATEGY);
      z.next_in = reinterpret_cast<Bytef*>(const_cast<char*>(part.content.data()));
      z.avail_in = static_cast<uInt>(part.content.size());
      z.next_out = reinterpret_cast<Bytef*>(packed.data());
      z.avail_out = static_cast<uInt>(packed.size());
      deflate(&z, Z_FINISH);
      packed.resize(z.total_out);
      deflateEnd(&z);
    }
    const auto crc =
        static_cast<uint32_t>(crc32(0, reinterpret_cast<const Bytef*>(part.content.data()),
                                    static_cast<uInt>(part.content.size())));
    const std::string method = bytes_of<uint16_t>(part.deflate ? 8 : 0);
    const std::string sizes =
        bytes_of<uint32_t>(crc) + bytes_of(static_cast<uint32_t>(packed.size())) +
        bytes_of(static_cast<uint32_t>(part.content.size())) +
        bytes_of(static_cast<uint16_t>(part.name.size())) + bytes_of<uint16_t>(0);
    const std::string common =
        bytes_of<uint16_t>(20) + bytes_of<uint16_t>(0) + method + bytes_of<uint32_t>(0) + sizes;
    directory += std::string("PK\x01\x02") + bytes_of<uint16_t>(20) + common +
                 bytes_of<uint16_t>(0) + bytes_of<uint16_t>(0) + bytes_of<uint16_t>(0) +
                 bytes_of<uint32_t>(0) + bytes_of(static_cast<uint32_t>(file.size())) + part.name;
    file += "PK\x03\x04" + common + part.name + packed;
  }
  const auto count = static_cast<uint16_t>(parts.size());
  const auto at = static_cast<uint32_t>(file.size());
  return file + directory + "PK\x05\x06" + bytes_of<uint32_t>(0) + bytes_of(count) +
         bytes_of(count) + bytes_of(static_cast<uint32_t>(directory.size())) + bytes_of(at) +
         bytes_of<uint16_t>(0);
}

std::string npy_of(std::string_view descr, std::string_view shape, std::string_view data,
                   bool fortran) {
  std::string header = fmt::format("{{'descr': '{}', 'fortran_order': {}, 'shape': {}, }}", descr,
                                   fortran ? "True" : "False", shape);
  header.resize((header.size() + 10) / 64 * 64 + 64 - 10 - 1, ' ');
  header += '\n';
  return std::string("\x93NUMPY\x01\x00", 8) + bytes_of(static_cast<uint16_t>(header.size())) +
         header + std::string(data);
}

std::string pickled_text(std::string_view text) {
  return "X" + bytes_of(static_cast<uint32_t>(text.size())) + std::string(text);
}
std::string pickled_number(int32_t number) { return "J" + bytes_of(number); }

std::string pickled_tensor(std::string_view type, std::string_view key, int32_t count,
                           int32_t offset, const std::vector<int32_t>& size,
                           const std::vector<int32_t>& stride) {
  const auto tuple = [](const std::vector<int32_t>& numbers) {
    std::string text = "(";
    for (const int32_t n : numbers) text += pickled_number(n);
    return text + "t";
  };
  return "ctorch._utils\n_rebuild_tensor_v2\n((" + pickled_text("storage") + "ctorch\n" +
         std::string(type) + "\n" + pickled_text(key) + pickled_text("cpu") +
         pickled_number(count) + "tQ" + pickled_number(offset) + tuple(size) + tuple(stride) +
         "\x89" + "ccollections\nOrderedDict\n)RtR";
}

std::string pickled_dict(const std::vector<std::pair<std::string, std::string>>& items) {
  std::string text = "\x80\x02}(";
  for (const auto& [name, piece] : items) text += pickled_text(name) + piece;
  return text + "u.";
}

std::string torch_legacy_of(const std::string& pickle, const std::vector<TorchPart>& storages) {
  std::string file(torch_legacy_head);
  file += std::string("\x80\x02M\xe9\x03.", 6);
  file += "\x80\x02}" + pickled_text("little_endian") + "\x88s.";
  file += pickle + "\x80\x02](";
  for (const TorchPart& s : storages) file += pickled_text(s.key);
  file += "e.";
  for (const TorchPart& s : storages) file += bytes_of(s.count) + s.content;
  return file;
}

std::string torch_zip_of(const std::string& pickle, const std::vector<TorchPart>& storages) {
  std::vector<ZipPart> parts{{"net/data.pkl", pickle}, {"net/byteorder", "little"}};
  for (const TorchPart& s : storages) parts.push_back({"net/data/" + s.key, s.content});
  return zip_of(parts);
}

std::string varint(uint64_t number) {
  std::string text;
  for (; number >= 128; number >>= 7) text += static_cast<char>(number | 128);
  return text + static_cast<char>(number);
}

std::string proto_field(int number, std::string_view bytes) {
  return varint(static_cast<uint64_t>(number) << 3 | 2) + varint(bytes.size()) + std::string(bytes);
}

std::string tf_object_graph_of(const std::vector<std::pair<std::string, std::string>>& names) {
  // The root, with a child, then a node for each tensor.
  std::string graph = proto_field(1, proto_field(1, "\x08\x01" + proto_field(2, "layer")));
  for (const auto& [key, full] : names) {
    graph += proto_field(1, proto_field(2, proto_field(1, "VARIABLE_VALUE") + proto_field(2, full) +
                                               proto_field(3, key)));
  }
  return graph;
}

std::string block_of(std::string content, uint8_t type) {
  if (type == 1) {
    size_t length = snappy_max_compressed_length(content.size());
    std::string packed(length, '\0');
    snappy_compress(content.data(), content.size(), packed.data(), &length);
    packed.resize(length);
    content = packed;
  }
  content += static_cast<char>(type);
  return content + bytes_of(masked_crc32c(crc32c(content)));
}

std::string table_of(const std::vector<std::pair<std::string, std::string>>& entries, bool snappy) {
  std::string block, last;
  for (const auto& [key, value] : entries) {
    const auto shared = static_cast<size_t>(
        std::mismatch(key.begin(), key.end(), last.begin(), last.end()).first - key.begin());
    block += varint(shared) + varint(key.size() - shared) + varint(value.size()) +
             key.substr(shared) + value;
    last = key;
  }
  const std::string restarts = bytes_of<uint32_t>(0) + bytes_of<uint32_t>(1);
  std::string file = block_of(block + restarts, snappy ? 1 : 0);
  const auto handle = [](size_t offset, size_t size) { return varint(offset) + varint(size); };
  const std::string data_handle = handle(0, file.size() - 5);
  const auto append = [&](const std::string& content) {
    const std::string stored = block_of(content, 0);
    const std::string place = handle(file.size(), stored.size() - 5);
    file += stored;
    return place;
  };
  const std::string meta = append(restarts);
  const std::string index =
      append(varint(0) + varint(last.size() + 1) + varint(data_handle.size()) + last + "~" +
             data_handle + restarts);
  std::string footer = meta + index;
  footer.resize(40, '\0');
  return file + footer + std::string(table_magic);
}

TfFiles tf_bundle_of(std::vector<TfPart> parts, bool snappy) {
  std::sort(parts.begin(), parts.end(),
            [](const TfPart& a, const TfPart& b) { return a.name < b.name; });
  TfFiles files;
  std::vector<std::pair<std::string, std::string>> entries{{"", "\x08\x01\x1a\x02\x08\x01"}};
  for (const TfPart& part : parts) {
    std::string content = part.content, shape;
    uint32_t crc = crc32c(content);
    if (part.dtype == 7) {
      const uint32_t lengths = crc32c(bytes_of(static_cast<uint32_t>(part.content.size())));
      const std::string check = bytes_of(masked_crc32c(lengths));
      content = varint(part.content.size()) + check + part.content;
      crc = crc32c(check + part.content, lengths);
    }
    for (const int64_t dim : part.shape) {
      const std::string size = "\x08" + varint(static_cast<uint64_t>(dim));
      shape += "\x12" + varint(size.size()) + size;
    }
    entries.emplace_back(
        part.name, "\x08" + varint(static_cast<uint64_t>(part.dtype)) + "\x12" +
                       varint(shape.size()) + shape + "\x20" + varint(files.data.size()) + "\x28" +
                       varint(content.size()) + "\x35" + bytes_of(masked_crc32c(crc)));
    files.data += content;
  }
  files.index = table_of(entries, snappy);
  return files;
}

WeightFile fake_file(const std::vector<FakeTensor>& tensors, const std::string& origin) {
  WeightData data(origin, 0);
  for (const FakeTensor& tensor : tensors) {
    std::vector<float> values(static_cast<size_t>(tensor.shape.count()));
    for (size_t i = 0; i < values.size(); ++i) values[i] = static_cast<float>(i);
    const auto owner = std::make_shared<const std::string>(floats(values));
    data.keep(owner);
    data.add(tensor.name, View::row_major(Element::f32, tensor.shape), as_bytes(*owner));
  }
  return {"fake", std::move(data)};
}

}  // namespace convoy::test
