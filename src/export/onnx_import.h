// From an ONNX model back to a graph of our ops. It reads all that `export_onnx` writes, and those
// nets of others that need nothing more; the rest is refused by name.
#pragma once

#include <map>
#include <string>
#include <vector>

#include "export/onnx_model.h"
#include "graph/graph.h"

namespace convoy {

struct OnnxImport {
  Graph graph;  // for evaluation; inputs and outputs are named as in the file
  std::map<std::string, std::vector<float>> weights;  // of its parameters and statistics, by name
};

// `batch` is the size of a first dimension that the file leaves open. Whatever is wrong is
// Fault::checkpoint, and one line that begins with `origin`.
OnnxImport import_onnx(const OnnxModel& model, int64_t batch, const std::string& origin);

}  // namespace convoy
