// Converts ONNX files to plain values and back. The only user of protobuf.
#pragma once

#include <string>
#include <string_view>

#include "base/files/file.h"
#include "export/onnx_model.h"

namespace convoy {

// The limit of protobuf messages.
inline constexpr size_t most_onnx_bytes = (size_t{1} << 31) - 1;

// Serialises a model; equal models give equal bytes. More than `most_bytes` are a usage error.
std::string encode_onnx(const OnnxModel& model, size_t most_bytes = most_onnx_bytes);

// Parses a model and checks all lengths, shapes, types and counts; a defect is Fault::checkpoint
// with one line that begins with `origin`. The importer checks whether nodes and names are
// consistent.
OnnxModel decode_onnx(std::string_view bytes, const std::string& origin);
OnnxModel read_onnx(const fs::path& path);

// Parses a file with a single tensor, as in ONNX's test data.
OnnxTensor decode_onnx_tensor(std::string_view bytes, const std::string& origin);

}  // namespace convoy
