// ONNX files to plain values and back: the one door to protobuf.
#pragma once

#include <string>
#include <string_view>

#include "base/files/file.h"
#include "export/onnx_model.h"

namespace convoy {

// Protobuf's messages end here.
inline constexpr size_t most_onnx_bytes = (size_t{1} << 31) - 1;

// The file's bytes: equal models give equal bytes. One of more than `most_bytes` is a usage error.
std::string encode_onnx(const OnnxModel& model, size_t most_bytes = most_onnx_bytes);

// Nothing in the bytes is believed: lengths, shapes, types and counts are checked, and what makes
// no sense is Fault::checkpoint and one line that begins with `origin`. Whether nodes and names fit
// together is for who imports the model.
OnnxModel decode_onnx(std::string_view bytes, const std::string& origin);
OnnxModel read_onnx(const fs::path& path);

// A file that holds one tensor, as ONNX's test data do.
OnnxTensor decode_onnx_tensor(std::string_view bytes, const std::string& origin);

}  // namespace convoy
