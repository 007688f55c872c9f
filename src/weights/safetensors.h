// Reads and writes safetensors files: an 8-byte little-endian header length, a JSON header with
// name, type, shape and position of each tensor, then the tensors' bytes without gaps. Such a file
// cannot execute code, and every number in it is checked before it is used.
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

// One tensor, row-major, little-endian. `data` is borrowed and may be unaligned in files made by
// other programs: copy the bytes, do not cast the pointer.
struct TensorEntry {
  std::string name;
  DType dtype = DType::f32;
  Shape shape;
  std::span<const std::byte> data;
};

// A tensor of a type that DType does not have.
struct ForeignEntry {
  std::string name;
  std::string_view type;  // as the file writes it
  Shape shape;
  std::span<const std::byte> data;
};

using Metadata = std::map<std::string, std::string>;

// A whole file in memory, checked. Any defect is Fault::checkpoint with one line that names the
// file and, if known, the tensor.
class SafetensorsFile {
 public:
  static SafetensorsFile read(const fs::path& path);
  // `origin` replaces the path in messages.
  SafetensorsFile(std::string bytes, std::string origin);

  const std::string& origin() const { return origin_; }
  size_t size() const { return bytes_->size(); }  // bytes of the file
  const Metadata& metadata() const { return metadata_; }
  // Tensors of types that DType has, sorted bytewise by name. Spans point into this object and stay
  // valid when it is moved.
  const std::vector<TensorEntry>& tensors() const { return tensors_; }
  // All other tensors (F64, BOOL …): name -> type as the file writes it. They are checked in the
  // same way.
  const std::map<std::string, std::string>& foreign() const { return foreign_; }
  const std::vector<ForeignEntry>& foreign_tensors() const { return foreign_tensors_; }

  // Null if absent. A tensor of a type without DType is an error, as for `at`.
  const TensorEntry* find(std::string_view name) const;
  // Raises if absent; the message suggests the nearest name.
  const TensorEntry& at(std::string_view name) const;

 private:
  std::string origin_;
  std::unique_ptr<const std::string> bytes_;
  Metadata metadata_;
  std::vector<TensorEntry> tensors_;
  std::map<std::string, std::string> foreign_;
  std::vector<ForeignEntry> foreign_tensors_;
};

// A file ready to be written; equal tensors and metadata give equal bytes. Header keys are sorted
// bytewise. Data is sorted by element size, widest first, then by name, so that every tensor is
// aligned (torch requires that). Borrows the tensors' data; adds "format": "pt" to the metadata.
class SafetensorsImage {
 public:
  explicit SafetensorsImage(std::span<const TensorEntry> tensors, Metadata metadata = {});

  // Concatenated they are the file. Borrows from this object.
  std::vector<std::string_view> parts() const;
  size_t bytes() const;

 private:
  std::string header_;  // with its length in front
  std::vector<std::string_view> data_;
};

// Writes the whole file or nothing. A full disk is Fault::no_space, any other failure is `fault`.
void write_safetensors(const fs::path& path, std::span<const TensorEntry> tensors,
                       Metadata metadata = {}, Fault fault = Fault::checkpoint);

// The hash that identifies weights: 16 hex digits of XXH3-64 over the data of all tensors in
// bytewise order of their names, without `num_batches_tracked`.
std::string weights_hash(std::span<const TensorEntry> tensors);

}  // namespace convoy
