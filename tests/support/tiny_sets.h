// Small dataset files of every format, right or deliberately wrong.
#pragma once

#include <string>
#include <vector>

#include "base/files/file.h"
#include "data/dataset.h"

namespace convoy::test {

void write_bytes(const fs::path& path, const std::string& bytes);
std::string gzip(const std::string& bytes);

// Sample `index` of a set of labelled images.
void read_labelled(const Dataset& set, int64_t index, uint64_t key, uint8_t* pixels,
                   int32_t& label);

// Magic number, big-endian dimensions, data.
std::string idx_bytes(uint32_t magic, const std::vector<uint32_t>& dims, const std::string& data);

// `count` pictures and labels in Fashion-MNIST's format, plain or .gz; pixel i of picture k is (i *
// 7 + k) % 256, its label k % 10.
void write_fashion(const fs::path& folder, const std::string& split, int count, bool zipped);

// Records of a CIFAR file; `label_bytes` 1 or 2. Pixel i of record k is (i + k) % 256.
std::string cifar_bytes(int records, int label_bytes, int classes);

// A dataset whose pictures tell their number: pixel i of sample k is (k * 31 + i * 7) % 256, the
// label k % 7. Reading sample `bad` throws.
class NumberedDataset final : public Dataset {
 public:
  explicit NumberedDataset(int64_t size, Shape image = {2, 6, 5}, int64_t bad = -1)
      : size_(size), image_(image), bad_(bad) {}
  int64_t size() const override { return size_; }
  Shape image_shape() const override { return image_; }
  int classes() const override { return 7; }
  std::vector<std::string> class_names() const override { return std::vector<std::string>(7, "x"); }
  void read(int64_t index, uint64_t key, Sample& sample) const override;

 private:
  int64_t size_;
  Shape image_;
  int64_t bad_;
};

}  // namespace convoy::test
