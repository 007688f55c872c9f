#include "train/precision/tensorflow_ops.h"

#include <algorithm>
#include <array>

namespace convoy {
namespace {

using Name = std::string_view;

// One column for each name; `here` ends with the first empty one.
struct Row {
  Name name;
  std::array<Name, 5> here;
};

constexpr std::array rows{
    Row{"Conv2D", {"convolution"}},
    Row{"Conv2DBackpropInput", {"convolution_grad_input"}},
    Row{"Conv2DBackpropFilter", {"convolution_grad_weights"}},
    Row{"DepthwiseConv2dNative", {"convolution"}},
    Row{"DepthwiseConv2dNativeBackpropInput", {"convolution_grad_input"}},
    Row{"DepthwiseConv2dNativeBackpropFilter", {"convolution_grad_weights"}},
    Row{"MatMul", {"linear", "linear_grad_input", "linear_grad_weights"}},
    Row{"BiasAdd", {"add_bias"}},
    Row{"BiasAddGrad", {"add_bias_grad"}},
    Row{"FusedBatchNorm", {"batch_norm", "batch_norm_eval", "batch_norm_sums", "batch_norm_apply"}},
    Row{"FusedBatchNormV2",
        {"batch_norm", "batch_norm_eval", "batch_norm_sums", "batch_norm_apply"}},
    Row{"FusedBatchNormV3",
        {"batch_norm", "batch_norm_eval", "batch_norm_sums", "batch_norm_apply"}},
    Row{"FusedBatchNormGrad", {"batch_norm_grad", "batch_norm_grad_sums", "batch_norm_grad_apply"}},
    Row{"FusedBatchNormGradV2",
        {"batch_norm_grad", "batch_norm_grad_sums", "batch_norm_grad_apply"}},
    Row{"FusedBatchNormGradV3",
        {"batch_norm_grad", "batch_norm_grad_sums", "batch_norm_grad_apply"}},
    Row{"Relu", {"relu"}},
    Row{"ReluGrad", {"relu_grad"}},
    Row{"LeakyRelu", {"leaky_relu"}},
    Row{"LeakyReluGrad", {"leaky_relu_grad"}},
    Row{"Sigmoid", {"sigmoid"}},
    Row{"SigmoidGrad", {"sigmoid_grad"}},
    Row{"Add", {"add"}},
    Row{"AddV2", {"add"}},
    Row{"AddN", {"add"}},
    Row{"Mul", {"multiply", "gate", "gate_grad"}},
    Row{"MaxPool", {"max_pool"}},
    Row{"MaxPoolV2", {"max_pool"}},
    Row{"MaxPoolGrad", {"max_pool_grad"}},
    Row{"MaxPoolGradV2", {"max_pool_grad"}},
    Row{"AvgPool", {"avg_pool"}},
    Row{"AvgPoolGrad", {"avg_pool_grad"}},
    Row{"Mean", {"global_avg_pool"}},
    Row{"Pad", {"pad"}},
    Row{"PadV2", {"pad"}},
    Row{"Reshape", {"reshape"}},
    Row{"Concat", {"concat"}},
    Row{"ConcatV2", {"concat"}},
    Row{"HabanaDropout", {"dropout"}},
    Row{"HabanaDropoutStateful", {"dropout"}},
};

// In fp32 alone, or in no network here.
constexpr std::array without{Name("Softmax"),
                             Name("LogSoftmax"),
                             Name("SoftmaxCrossEntropyWithLogits"),
                             Name("SparseSoftmaxCrossEntropyWithLogits"),
                             Name("L2Loss"),
                             Name("Cast"),
                             Name("Identity"),
                             Name("BatchMatMul"),
                             Name("BatchMatMulV2"),
                             Name("Conv3D"),
                             Name("Conv3DBackpropInputV2"),
                             Name("Conv3DBackpropFilterV2"),
                             Name("MaxPool3D"),
                             Name("MaxPool3DGrad"),
                             Name("Relu6"),
                             Name("Relu6Grad"),
                             Name("Elu"),
                             Name("EluGrad"),
                             Name("Selu"),
                             Name("SeluGrad"),
                             Name("Softplus"),
                             Name("SoftplusGrad"),
                             Name("Tanh"),
                             Name("TanhGrad"),
                             Name("Exp"),
                             Name("Log"),
                             Name("Neg"),
                             Name("Sub"),
                             Name("Div"),
                             Name("RealDiv"),
                             Name("DivNoNan"),
                             Name("Pow"),
                             Name("Square"),
                             Name("SquaredDifference"),
                             Name("Sqrt"),
                             Name("Rsqrt"),
                             Name("RsqrtGrad"),
                             Name("Reciprocal"),
                             Name("Maximum"),
                             Name("Minimum"),
                             Name("Max"),
                             Name("Min"),
                             Name("Sum"),
                             Name("EuclideanNorm"),
                             Name("Select"),
                             Name("SelectV2"),
                             Name("Slice"),
                             Name("Split"),
                             Name("SplitV"),
                             Name("StridedSlice"),
                             Name("StridedSliceGrad"),
                             Name("Transpose"),
                             Name("Tile"),
                             Name("Pack"),
                             Name("Unpack"),
                             Name("Gather"),
                             Name("GatherV2"),
                             Name("GatherNd"),
                             Name("ExpandDims"),
                             Name("Squeeze"),
                             Name("MirrorPad"),
                             Name("ResizeNearestNeighbor"),
                             Name("ResizeNearestNeighborGrad"),
                             Name("CollectiveReduceV2"),
                             Name("HorovodAllreduce"),
                             Name("HabanaGelu"),
                             Name("HabanaGeluGrad"),
                             Name("HabanaLayerNorm"),
                             Name("HabanaLayerNormGrad"),
                             Name("HabanaDropoutGrad"),
                             Name("_ScopedAllocator"),
                             Name("_ScopedAllocatorConcat"),
                             Name("_ScopedAllocatorSplit")};

}  // namespace

std::optional<std::span<const std::string_view>> ops_of_tensorflow(std::string_view name) {
  if (std::ranges::find(without, name) != without.end()) return std::span<const Name>{};
  const auto found = std::ranges::find(rows, name, &Row::name);
  if (found == rows.end()) return std::nullopt;
  const auto end = std::ranges::find(found->here, Name{});
  return std::span(found->here.begin(), end);
}

std::vector<std::string_view> tensorflow_names() {
  std::vector<Name> names(without.begin(), without.end());
  for (const Row& row : rows) names.push_back(row.name);
  return names;
}

}  // namespace convoy
