// Converts an ONNX model to a graph of our ops. It reads everything that `export_onnx` writes, and
// other networks that use the same operators; others are refused by name.
#pragma once

#include <map>
#include <string>
#include <vector>

#include "export/onnx_model.h"
#include "graph/graph.h"

namespace convoy {

struct OnnxImport {
  Graph graph;  // for evaluation; inputs and outputs keep their names
  std::map<std::string, std::vector<float>> weights;  // its parameters and statistics by name
};

// `batch`: used for a first dimension that the file leaves open. Any error is Fault::checkpoint
// with one line that begins with `origin`.
OnnxImport import_onnx(const OnnxModel& model, int64_t batch, const std::string& origin);

}  // namespace convoy
