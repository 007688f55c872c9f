// Real files, where they are at hand (../shared/data): every one is read, the broken one refused.

#include <gtest/gtest.h>

#include <cmath>
#include <cstring>
#include <set>

#include "support/raises.h"
#include "support/shared_data.h"
#include "weights/weight_file.h"

namespace convoy::test {
namespace {

float first_float(const TensorEntry& tensor) {
  float value = 0;
  std::memcpy(&value, tensor.data.data(), sizeof value);
  return value;
}

TEST(SharedWeights, TrainingCheckpointsOfOthersAreRead) {
  struct Case {
    const char* path;
    const char* format;
    const char* note;
    size_t tensors;
    const char* name;
    Shape shape;
  };
  for (const Case& c :
       {Case{"weights/resnet20-12fca82f.th",
             "PyTorch (legacy)",
             "taken from its state_dict",
             97,
             "module.linear.weight",
             {10, 64}},
        Case{"weights/resnet32-d509ac18.th",
             "PyTorch (legacy)",
             "taken from its state_dict",
             157,
             "module.layer3.4.conv2.weight",
             {64, 64, 3, 3}},
        Case{"weights/mobilenetV1X0.25_pretrain.tar",
             "PyTorch (legacy)",
             "taken from its state_dict",
             164,
             "module.fc.weight",
             {1000, 256}},
        Case{"weights/squeezenet_deep_compression/squeezenet_v1.0_deepcompressed_decoded.npz",
             "numpy",
             "",
             52,
             "fire9/conv3x3_2.weight",
             {256, 64, 3, 3}},
        Case{"fixtures/torch/burn/mnist.pt",
             "PyTorch (zip)",
             "",
             20,
             "conv3.weight",
             {24, 16, 3, 3}},
        Case{"fixtures/torch/burn/mnist.safetensors",
             "safetensors",
             "",
             20,
             "conv3.weight",
             {24, 16, 3, 3}}}) {
    const auto path = shared_data(c.path);
    if (!path) GTEST_SKIP();
    const WeightFile file = WeightFile::read(*path);
    EXPECT_EQ(file.format(), c.format) << c.path;
    EXPECT_EQ(file.note(), c.note) << c.path;
    EXPECT_EQ(file.tensors().size(), c.tensors) << c.path;
    ASSERT_NE(file.find(c.name), nullptr) << c.path;
    EXPECT_EQ(file.find(c.name)->shape, c.shape) << c.path;
  }
}

TEST(SharedWeights, EverySmallTorchFileIsReadButTheBrokenOne) {
  const auto folder = shared_data("fixtures/torch");
  if (!folder) GTEST_SKIP();
  int read = 0, refused = 0;
  for (const auto& entry : fs::recursive_directory_iterator(*folder)) {
    const std::string name = entry.path().filename().string();
    const std::string extension = entry.path().extension().string();
    if (extension != ".pt" && extension != ".pth" && extension != ".npz" &&
        extension != ".safetensors") {
      continue;
    }
    if (name.find("broken") != name.npos) {
      expect_raises(Fault::checkpoint, {"broken.pt"}, [&] { WeightFile::read(entry.path()); });
      ++refused;
      continue;
    }
    const WeightFile file = WeightFile::read(entry.path());
    EXPECT_GT(file.tensors().size() + file.foreign().size(), 0u) << name;
    ++read;
  }
  EXPECT_EQ(refused, 1);
  EXPECT_EQ(read, 61);
}

TEST(SharedWeights, ViewsAndTypesOfTorchComeOutRight) {
  const auto folder = shared_data("fixtures/torch");
  if (!folder) GTEST_SKIP();
  const auto values = [&](const std::string& path, const char* name) {
    const WeightFile file = WeightFile::read(*folder / path);
    const TensorEntry* tensor = file.find(name);
    std::vector<double> all;
    if (!tensor) return all;
    for (size_t at = 0; at < tensor->data.size();) {
      if (tensor->dtype == DType::s64) {
        int64_t v = 0;
        std::memcpy(&v, tensor->data.data() + at, 8);
        all.push_back(static_cast<double>(v));
        at += 8;
      } else {
        float v = 0;
        std::memcpy(&v, tensor->data.data() + at, 4);
        all.push_back(double{v});
        at += 4;
      }
    }
    return all;
  };
  const std::string burn = "burn/src__pytorch__tests__reader__test_data__";
  // Stored column by column: 1 2 3 … in its own order.
  const std::vector<double> fortran = values("candle/fortran_tensor_3d.pth", "tensor_fortran");
  ASSERT_EQ(fortran.size(), 24u);
  for (size_t i = 0; i < 24; ++i) EXPECT_EQ(fortran[i], double(i + 1));
  EXPECT_EQ(values(burn + "float64.pt", "tensor").size(), 3u);
  EXPECT_EQ(values(burn + "float16.pt", "tensor"), (std::vector<double>{1.5, -2.25, 3.125}));
  EXPECT_EQ(values(burn + "bfloat16.pt", "tensor"), (std::vector<double>{1.5, -2.5, 3.5}));
  const auto one = values(burn + "legacy_uncloned_views.pt", "tensor1"),
             two = values(burn + "legacy_uncloned_views.pt", "tensor2");
  ASSERT_EQ(one.size(), 10u);
  ASSERT_EQ(two.size(), 10u);
  for (size_t i = 0; i < 10; ++i) {
    EXPECT_EQ(one[i], double(10 + i));
    EXPECT_EQ(two[i], double(50 + i));
  }
}

TEST(SharedWeights, EveryTensorFlowCheckpointIsReadWithAllChecksums) {
  const auto folder = shared_data("fixtures/tf_checkpoint");
  if (!folder) GTEST_SKIP();
  int read = 0;
  size_t tensors = 0;
  for (const auto& entry : fs::recursive_directory_iterator(*folder)) {
    if (entry.path().extension() != ".index") continue;
    const WeightFile file = WeightFile::read(entry.path());
    EXPECT_EQ(file.format(), "TensorFlow checkpoint");
    tensors += file.tensors().size() + file.foreign().size();
    ++read;
  }
  EXPECT_EQ(read, 10);
  EXPECT_GT(tensors, 60u);

  const WeightFile mnist = WeightFile::read(*folder / "tf_mnist_convnet_ckpt46900");
  EXPECT_EQ(mnist.note(), "taken from model.ckpt-46900");
  const TensorEntry* kernel = mnist.find("conv2d/kernel");
  ASSERT_NE(kernel, nullptr);
  EXPECT_EQ(kernel->shape.rank(), 4);
  EXPECT_TRUE(std::isfinite(first_float(*kernel)));
}

}  // namespace
}  // namespace convoy::test
