// The names that the rules 1.1.0 of MLPerf give to the tensors of ResNet-50 and SSD-ResNet34.

#include <fmt/format.h>

#include <array>

#include "report/mllog/mllog.h"

namespace convoy {
namespace {

class Names {
 public:
  // A convolution without bias and its batch norm.
  void add_normed(const std::string& convolution, const std::string& norm) {
    all.push_back(convolution + "_weight");
    all.push_back(norm + "_gamma");
    all.push_back(norm + "_beta");
  }
  void add_biased(const std::string& layer) {
    all.push_back(layer + "_weight");
    all.push_back(layer + "_bias");
  }
  std::vector<std::string> all;
};

std::vector<std::string> of_resnet() {
  Names names;
  names.add_normed("conv0", "bn0");
  constexpr std::array units{3, 4, 6, 3};
  for (size_t stage = 0; stage < units.size(); ++stage) {
    for (int unit = 1; unit <= units[stage]; ++unit) {
      const std::string prefix = fmt::format("stage{}_unit{}_", stage + 1, unit);
      for (int layer = 1; layer <= 3; ++layer) {
        names.add_normed(fmt::format("{}conv{}", prefix, layer),
                         fmt::format("{}bn{}", prefix, layer));
      }
      if (unit == 1) names.add_normed(prefix + "conv1sc", prefix + "bnsc");
    }
  }
  names.add_biased("fc1");
  return names.all;
}

std::vector<std::string> of_ssd() {
  Names names;
  const std::string trunk = "ssd0_resnetmlperf0_";
  names.add_normed(trunk + "conv0", trunk + "batchnorm0");
  constexpr std::array layers{6, 9, 13};
  for (size_t stage = 0; stage < layers.size(); ++stage) {
    for (int layer = 0; layer < layers[stage]; ++layer) {
      const std::string prefix = fmt::format("{}stage{}_", trunk, stage + 1);
      names.add_normed(fmt::format("{}conv{}", prefix, layer),
                       fmt::format("{}batchnorm{}", prefix, layer));
    }
  }
  for (int level = 0; level < 5; ++level) {
    names.add_biased(fmt::format("ssd0_expand_trans_conv{}", level));
    names.add_biased(fmt::format("ssd0_expand_conv{}", level));
  }
  for (int level = 0; level < 6; ++level) {
    names.add_biased(fmt::format("ssd0_convpredictor{}_conv0", level));
  }
  return names.all;
}

}  // namespace

std::vector<std::string> mllog_tensors(MllogBenchmark benchmark) {
  return benchmark == MllogBenchmark::resnet ? of_resnet() : of_ssd();
}

}  // namespace convoy
