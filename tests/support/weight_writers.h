// Weight files of others, written by hand: sound ones to begin with, and every part can be made
// unsound.
#pragma once

#include <cstdint>
#include <string>
#include <string_view>
#include <vector>

#include "tensor/shape.h"
#include "weights/weight_file.h"

namespace convoy::test {

template <class T>
std::string bytes_of(const T& value) {
  return {reinterpret_cast<const char*>(&value), sizeof value};
}
std::string floats(const std::vector<float>& values);

struct ZipPart {
  std::string name, content;
  bool deflate = false;
};
std::string zip_of(const std::vector<ZipPart>& parts);

// A .npy file.
std::string npy_of(std::string_view descr, std::string_view shape, std::string_view data,
                   bool fortran = false);

// Pieces of a pickle, protocol 2.
std::string pickled_text(std::string_view text);
std::string pickled_number(int32_t number);
std::string pickled_tensor(std::string_view type, std::string_view key, int32_t count,
                           int32_t offset, const std::vector<int32_t>& size,
                           const std::vector<int32_t>& stride);
// {name: piece, …} with protocol and end.
std::string pickled_dict(const std::vector<std::pair<std::string, std::string>>& items);

// A legacy torch file around the pickle of an object; `storages`: key and elements' bytes.
struct TorchPart {
  std::string key, content;
  uint64_t count;
};
std::string torch_legacy_of(const std::string& pickle, const std::vector<TorchPart>& storages);
// The zip form.
std::string torch_zip_of(const std::string& pickle, const std::vector<TorchPart>& storages);

// A TensorFlow checkpoint of one data file.
struct TfPart {
  std::string name;
  int dtype;  // TensorFlow's number; 1: float32
  Shape shape;
  std::string content;
};
struct TfFiles {
  std::string index, data;
};
TfFiles tf_bundle_of(std::vector<TfPart> parts, bool snappy = false);
std::string varint(uint64_t number);
// A whole sorted table of one block.
std::string table_of(const std::vector<std::pair<std::string, std::string>>& entries, bool snappy);
// With trailer: type and checksum.
std::string block_of(std::string content, uint8_t type);

// A file of f32 tensors that exists in memory alone; values 0, 1, 2 … in the order of the bytes.
struct FakeTensor {
  std::string name;
  Shape shape;
};
WeightFile fake_file(const std::vector<FakeTensor>& tensors, const std::string& origin = "fake");

}  // namespace convoy::test
