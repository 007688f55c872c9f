// safetensors files: an 8-byte little-endian header length, a JSON header that names every tensor
// with its type, shape and place, then the tensors' bytes without holes. Nothing in such a file can
// run, and nothing in it is believed: every number is checked before it is used.
#pragma once

#include <cstddef>
#include <map>
#include <memory>
#include <span>
#include <string>
#include <string_view>
#include <vector>

#include "base/files/file.h"
#include "tensor/shape.h"

namespace convoy {

// One tensor, row-major, little-endian. `data` is borrowed. What a file gives may be unaligned
// (files of others): copy it, do not cast the pointer.
struct TensorEntry {
  std::string name;
  DType dtype = DType::f32;
  Shape shape;
  std::span<const std::byte> data;
};

// A tensor of a type that TensorEntry has no word for.
struct ForeignEntry {
  std::string name;
  std::string_view type;  // as the file writes it
  Shape shape;
  std::span<const std::byte> data;
};

using Metadata = std::map<std::string, std::string>;

// A whole file in memory, checked. Any defect is Fault::checkpoint and one line that names the file
// and, where there is one, the tensor.
class SafetensorsFile {
 public:
  static SafetensorsFile read(const fs::path& path);
  // `origin` stands for the path in messages.
  SafetensorsFile(std::string bytes, std::string origin);

  const std::string& origin() const { return origin_; }
  size_t size() const { return bytes_->size(); }  // of the file
  const Metadata& metadata() const { return metadata_; }
  // The tensors whose type we can use, names sorted bytewise. Spans point into this object and stay
  // valid when it is moved.
  const std::vector<TensorEntry>& tensors() const { return tensors_; }
  // The others (F64, BOOL …): name -> type as the file writes it. They are checked like the rest.
  const std::map<std::string, std::string>& foreign() const { return foreign_; }
  const std::vector<ForeignEntry>& foreign_tensors() const { return foreign_tensors_; }

  // Null when there is none. A tensor of a foreign type is an error, as for `at`.
  const TensorEntry* find(std::string_view name) const;
  // Must be there; the error names the nearest.
  const TensorEntry& at(std::string_view name) const;

 private:
  std::string origin_;
  std::unique_ptr<const std::string> bytes_;
  Metadata metadata_;
  std::vector<TensorEntry> tensors_;
  std::map<std::string, std::string> foreign_;
  std::vector<ForeignEntry> foreign_tensors_;
};

// A file about to be written: equal tensors and metadata give equal bytes. Header keys are sorted
// bytewise; data lies widest element first, then by name, so that every tensor is aligned (torch
// refuses others). Borrows the tensors' data; `metadata` gets "format": "pt".
class SafetensorsImage {
 public:
  explicit SafetensorsImage(std::span<const TensorEntry> tensors, Metadata metadata = {});

  // Laid end to end, the file. Borrows from this object.
  std::vector<std::string_view> parts() const;
  size_t bytes() const;

 private:
  std::string header_;  // with its length in front
  std::vector<std::string_view> data_;
};

// Complete or not at all. A full disk is Fault::no_space, anything else `fault`.
void write_safetensors(const fs::path& path, std::span<const TensorEntry> tensors,
                       Metadata metadata = {}, Fault fault = Fault::checkpoint);

// The hash that identifies a set of weights: 16 hex digits of XXH3-64 over the data of all tensors,
// names sorted bytewise, without `num_batches_tracked`.
std::string weights_hash(std::span<const TensorEntry> tensors);

}  // namespace convoy
