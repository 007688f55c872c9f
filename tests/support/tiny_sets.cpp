#include "support/tiny_sets.h"

#include <zlib.h>

#include <fstream>
#include <stdexcept>

namespace convoy::test {

void write_bytes(const fs::path& path, const std::string& bytes) {
  std::ofstream file(path, std::ios::binary);
  file << bytes;
  if (!file.flush()) throw std::runtime_error("cannot write " + path.string());
}

std::string gzip(const std::string& bytes) {
  z_stream z{};
  deflateInit2(&z, 6, Z_DEFLATED, 15 + 16, 8, Z_DEFAULT_STRATEGY);
  std::string out(deflateBound(&z, bytes.size()) + 32, '\0');
  z.next_in = reinterpret_cast<Bytef*>(const_cast<char*>(bytes.data()));
  z.avail_in = static_cast<uInt>(bytes.size());
  z.next_out = reinterpret_cast<Bytef*>(out.data());
  z.avail_out = static_cast<uInt>(out.size());
  if (deflate(&z, Z_FINISH) != Z_STREAM_END) throw std::runtime_error("zlib");
  out.resize(out.size() - z.avail_out);
  deflateEnd(&z);
  return out;
}

std::string idx_bytes(uint32_t magic, const std::vector<uint32_t>& dims, const std::string& data) {
  std::string bytes;
  const auto put = [&](uint32_t value) {
    for (int shift = 24; shift >= 0; shift -= 8) bytes += static_cast<char>(value >> shift);
  };
  put(magic);
  for (const uint32_t dim : dims) put(dim);
  return bytes + data;
}

void write_fashion(const fs::path& folder, const std::string& split, int count, bool zipped) {
  std::string pixels, labels;
  for (int k = 0; k < count; ++k) {
    for (int i = 0; i < 28 * 28; ++i) pixels += static_cast<char>((i * 7 + k) % 256);
    labels += static_cast<char>(k % 10);
  }
  const auto n = static_cast<uint32_t>(count);
  const std::string images = idx_bytes(0x803, {n, 28, 28}, pixels);
  const std::string tags = idx_bytes(0x801, {n}, labels);
  const std::string end = zipped ? ".gz" : "";
  write_bytes(folder / (split + "-images-idx3-ubyte" + end), zipped ? gzip(images) : images);
  write_bytes(folder / (split + "-labels-idx1-ubyte" + end), zipped ? gzip(tags) : tags);
}

std::string cifar_bytes(int records, int label_bytes, int classes) {
  std::string bytes;
  for (int k = 0; k < records; ++k) {
    if (label_bytes == 2) bytes += static_cast<char>(200);  // the coarse label, never looked at
    bytes += static_cast<char>(k % classes);
    for (int i = 0; i < 3072; ++i) bytes += static_cast<char>((i + k) % 256);
  }
  return bytes;
}

void NumberedDataset::read(int64_t index, uint64_t, Sample& sample) const {
  if (index == bad_) raise(Fault::data, "sample {} is broken", index);
  for (int64_t i = 0; i < image_.count(); ++i) {
    sample.pixels()[i] = static_cast<uint8_t>(index * 31 + i * 7);
  }
  sample.add_label(static_cast<int32_t>(index % 7));
  sample.geometry = whole_picture(image_);
}

void read_labelled(const Dataset& set, int64_t index, uint64_t key, uint8_t* pixels,
                   int32_t& label) {
  Sample sample;
  sample.begin(pixels);
  set.read(index, key, sample);
  label = sample.get<int32_t>("label")[0];
}

}  // namespace convoy::test
