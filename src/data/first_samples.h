// The first samples of a dataset, as a dataset.
#pragma once

#include <algorithm>
#include <memory>
#include <string>
#include <vector>

#include "data/dataset.h"

namespace convoy {

// Borrows the whole dataset.
class FirstSamples : public Dataset {
 public:
  // All samples if there are fewer than `count`.
  FirstSamples(const Dataset& whole, int64_t count)
      : whole_(whole), size_(std::min(count, whole.size())) {}

  int64_t size() const override { return size_; }
  int64_t resident_bytes() const override { return whole_.resident_bytes(); }
  std::string remark() const override { return whole_.remark(); }
  int64_t run_length() const override { return whole_.run_length(); }
  Shape image_shape() const override { return whole_.image_shape(); }
  DType image_type() const override { return whole_.image_type(); }
  int classes() const override { return whole_.classes(); }
  std::vector<std::string> class_names() const override { return whole_.class_names(); }
  TensorList tensors() const override { return whole_.tensors(); }
  void read(int64_t index, uint64_t key, Sample& sample) const override {
    whole_.read(index, key, sample);
  }
  std::string origin(int64_t index) const override { return whole_.origin(index); }
  KeptSample kept(int64_t index) const override { return whole_.kept(index); }
  uint64_t content_hash(int64_t index) const override { return whole_.content_hash(index); }
  void announce_read(int64_t index) const override { whole_.announce_read(index); }

 private:
  const Dataset& whole_;
  int64_t size_;
};

// The same, and owns the whole one.
class OwnFirstSamples final : public FirstSamples {
 public:
  OwnFirstSamples(std::unique_ptr<Dataset> whole, int64_t count)
      : FirstSamples(*whole, count), own_(std::move(whole)) {}

 private:
  std::unique_ptr<Dataset> own_;
};

}  // namespace convoy
