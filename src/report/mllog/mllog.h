// Writes the lines of an MLPerf training log (`:::MLLOG`) in the form of the rules 1.1.0, for
// ResNet-50 and SSD.
#pragma once

#include <map>
#include <memory>
#include <string>
#include <vector>

#include "base/files/file.h"
#include "train/event.h"

namespace convoy {

enum class MllogBenchmark { resnet, ssd };

struct MllogSpec {
  fs::path file;
  MllogBenchmark benchmark = MllogBenchmark::resnet;
  std::string org, platform, division;
  // Every option of the run that changes a result, key and text.
  std::map<std::string, std::string> options;
};

std::unique_ptr<Listener> mllog_listener(MllogSpec spec);

// The tensors of which the rules want to know that they were initialised.
std::vector<std::string> mllog_tensors(MllogBenchmark benchmark);

}  // namespace convoy
