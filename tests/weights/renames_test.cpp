// Names of other libraries: each list below is what that library calls a network's tensors, written
// down from its code, against our names for the same, which must be those of our model.

#include <fmt/core.h>
#include <gtest/gtest.h>

#include <algorithm>
#include <set>

#include "support/weight_writers.h"
#include "train/checkpoint/load_weights.h"
#include "weights/match.h"

namespace convoy::test {
namespace {

// Each tensor has a shape of its own, so that a wrong translation cannot fit.
class Naming {
 public:
  void add(const std::string& theirs, const std::string& ours,
           Arrangement from = Arrangement::same) {
    const int64_t n = static_cast<int64_t>(wanted_.size()) + 2;
    const Shape shape = from == Arrangement::hwio     ? Shape{3, 3, n, 1}
                        : from == Arrangement::in_out ? Shape{n, 7}
                                                      : Shape{n};
    file_.push_back({theirs, shape});
    wanted_.push_back({ours, arranged(shape, from), false});
  }
  void layer(const std::string& theirs, const std::string& ours,
             std::initializer_list<const char*> kinds) {
    for (const char* kind : kinds) {
      add(theirs + "." + kind, ours + "." + kind);
    }
  }
  void expect_fits(std::string_view whose) const {
    const WeightFile file = fake_file(file_);
    const Match match = match_weights(file, wanted_);
    EXPECT_EQ(match.verdict(), fmt::format("{0} of {0} tensors", wanted_.size()));
    EXPECT_EQ(match.rename, whose);
  }
  void expect_names_of(std::string_view model) const {
    std::set<std::string> listed, ours;
    for (const Wanted& w : wanted_) listed.insert(w.name);
    for (const Wanted& w : wanted_by(find_model(model), 10, 3)) ours.insert(w.name);
    EXPECT_EQ(listed, ours) << model;
  }

 private:
  std::vector<FakeTensor> file_;
  std::vector<Wanted> wanted_;
};

constexpr std::initializer_list<const char*> norm{"weight", "bias", "running_mean", "running_var"};
constexpr std::initializer_list<const char*> both{"weight", "bias"};

TEST(Renames, AkamastersCifarNets) {
  Naming names;
  names.layer("conv1", "conv1", {"weight"});
  names.layer("layer1.0.bn2", "layer1.0.bn2", norm);
  names.layer("linear", "fc", both);
  names.expect_fits("akamaster's");
}

// Under either name the head does not fit as it is: the translation still knows where it belongs.
TEST(Renames, AHeadOfOtherClassesIsTranslatedToo) {
  const WeightFile file = fake_file({{"module.conv1.weight", {16, 3, 3, 3}},
                                     {"module.linear.weight", {10, 64}},
                                     {"module.linear.bias", {10}}});
  const std::vector<Wanted> wanted{
      {"conv1.weight", {16, 3, 3, 3}}, {"fc.weight", {4, 64}, true}, {"fc.bias", {4}, true}};
  const Match match = match_weights(file, wanted);
  EXPECT_EQ(match.rename, "akamaster's");
  EXPECT_TRUE(match.missing.empty() && match.unused.empty()) << match.verdict();
  EXPECT_TRUE(match.fits(HeadPolicy::may_be_new)) << match.verdict();
  EXPECT_FALSE(match.fits(HeadPolicy::must_fit));
}

// The files say nothing about their preprocessing, and the script that made them is known.
TEST(Renames, AkamastersFilesBringModelDataAndPreprocessing) {
  const auto file = [](int64_t classes, const char* more) {
    return fake_file({{"module.conv1.weight", {16, 3, 3, 3}},
                      {"module.layer1.0.conv1.weight", {16, 16, 3, 3}},
                      {"module.layer1.1.conv1.weight", {16, 16, 3, 3}},
                      {"module.layer1.2.conv1.weight", {16, 16, 3, 3}},
                      {"module.layer3.0.conv2.weight", {64, 64, 3, 3}},
                      {more, {1}},
                      {"module.linear.weight", {classes, 64}}});
  };
  const KnownTraining known = known_training(file(10, "module.linear.bias"));
  EXPECT_EQ(known.whose, "akamaster's");
  const KnownOptions expected{{"model", "cifar_resnet20"},
                              {"num-classes", "10"},
                              {"dataset", "cifar-10"},
                              {"mean", "0.485,0.456,0.406"},
                              {"std", "0.229,0.224,0.225"}};
  EXPECT_EQ(known.options, expected);
  // Of others, who normalise otherwise: CIFAR-100, and nets with projections.
  EXPECT_TRUE(known_training(file(100, "module.linear.bias")).options.empty());
  EXPECT_TRUE(known_training(file(10, "module.layer2.0.shortcut.0.weight")).options.empty());
}

TEST(Renames, TimmsEfficientNets) {
  Naming names;
  names.layer("conv_stem", "features.0.0", {"weight"});
  names.layer("bn1", "features.0.1", norm);
  // EfficientNet-B0: blocks of each stage; the first stage does not expand.
  const int blocks[] = {1, 2, 2, 3, 3, 4, 1};
  for (int stage = 0; stage < 7; ++stage) {
    for (int block = 0; block < blocks[stage]; ++block) {
      const std::string theirs = fmt::format("blocks.{}.{}.", stage, block);
      const std::string ours = fmt::format("features.{}.{}.block.", stage + 1, block);
      if (stage == 0) {
        names.layer(theirs + "conv_dw", ours + "0.0", {"weight"});
        names.layer(theirs + "bn1", ours + "0.1", norm);
        names.layer(theirs + "se.conv_reduce", ours + "1.fc1", both);
        names.layer(theirs + "se.conv_expand", ours + "1.fc2", both);
        names.layer(theirs + "conv_pw", ours + "2.0", {"weight"});
        names.layer(theirs + "bn2", ours + "2.1", norm);
      } else {
        names.layer(theirs + "conv_pw", ours + "0.0", {"weight"});
        names.layer(theirs + "bn1", ours + "0.1", norm);
        names.layer(theirs + "conv_dw", ours + "1.0", {"weight"});
        names.layer(theirs + "bn2", ours + "1.1", norm);
        names.layer(theirs + "se.conv_reduce", ours + "2.fc1", both);
        names.layer(theirs + "se.conv_expand", ours + "2.fc2", both);
        names.layer(theirs + "conv_pwl", ours + "3.0", {"weight"});
        names.layer(theirs + "bn3", ours + "3.1", norm);
      }
    }
  }
  names.layer("conv_head", "features.8.0", {"weight"});
  names.layer("bn2", "features.8.1", norm);
  names.layer("classifier", "classifier.1", both);
  names.expect_fits("timm's");
  names.expect_names_of("efficientnet_b0");
}

// Adds layers as TensorFlow numbers them: in the order of their creation.
class TensorFlow {
 public:
  explicit TensorFlow(Naming& names) : names_(names) {}
  void conv(const std::string& ours) {
    names_.add(numbered("conv2d", convs_++) + "/kernel", ours + ".weight", Arrangement::hwio);
  }
  void norm(const std::string& ours) {
    const std::string layer = numbered("batch_normalization", norms_++);
    names_.add(layer + "/gamma", ours + ".weight");
    names_.add(layer + "/beta", ours + ".bias");
    names_.add(layer + "/moving_mean", ours + ".running_mean");
    names_.add(layer + "/moving_variance", ours + ".running_var");
  }
  void head() {
    names_.add("resnet_model/dense/kernel", "fc.weight", Arrangement::in_out);
    names_.add("resnet_model/dense/bias", "fc.bias");
  }

 private:
  static std::string numbered(const char* layer, int number) {
    return fmt::format("resnet_model/{}{}", layer, number ? fmt::format("_{}", number) : "");
  }
  Naming& names_;
  int convs_ = 0, norms_ = 0;
};

constexpr int depths[] = {3, 4, 6, 3};  // of a ResNet-34 and -50

TEST(Renames, TensorFlowsOfficialResNets) {
  Naming first;
  TensorFlow v1(first);
  v1.conv("conv1");
  v1.norm("bn1");
  for (int stage = 1; stage <= 4; ++stage) {
    for (int block = 0; block < depths[stage - 1]; ++block) {
      const std::string ours = fmt::format("layer{}.{}.", stage, block);
      if (block == 0) {
        v1.conv(ours + "downsample.0");
        v1.norm(ours + "downsample.1");
      }
      for (const char* i : {"1", "2", "3"}) {
        v1.conv(ours + "conv" + i);
        v1.norm(ours + "bn" + i);
      }
    }
  }
  v1.head();
  first.expect_fits("TensorFlow's");
  first.expect_names_of("resnet50_v1");

  Naming second;
  TensorFlow v2(second);
  v2.conv("conv1");
  for (int stage = 1; stage <= 4; ++stage) {
    for (int block = 0; block < depths[stage - 1]; ++block) {
      const std::string ours = fmt::format("layer{}.{}.", stage, block);
      v2.norm(ours + "bn1");
      if (block == 0) v2.conv(ours + "downsample.0");
      v2.conv(ours + "conv1");
      v2.norm(ours + "bn2");
      v2.conv(ours + "conv2");
    }
  }
  v2.norm("bn_last");
  v2.head();
  second.expect_fits("TensorFlow's");
  second.expect_names_of("resnet34_v2");
}

TEST(Renames, TenBlocksAndMoreAreCountedNotSpelled) {
  Naming names;
  TensorFlow tf(names);
  for (int block = 0; block < 12; ++block) {
    tf.conv(fmt::format("layer1.{}.conv1", block));
    tf.norm(fmt::format("layer1.{}.bn1", block));
  }
  names.expect_fits("TensorFlow's");
}

TEST(Renames, KerasApplicationsResNets) {
  for (const std::string suffix : {"", "/.ATTRIBUTES/VARIABLE_VALUE", ":0"}) {
    for (const char* head : {"probs", "predictions"}) {
      for (const bool pre : {false, true}) {
        Naming names;
        const auto conv = [&](const std::string& theirs, const std::string& ours,
                              bool bias = true) {
          names.add(theirs + "/kernel" + suffix, ours + ".weight", Arrangement::hwio);
          if (bias) names.add(theirs + "/bias" + suffix, ours + ".bias");
        };
        const auto norm_of = [&](const std::string& theirs, const std::string& ours) {
          names.add(theirs + "/gamma" + suffix, ours + ".weight");
          names.add(theirs + "/beta" + suffix, ours + ".bias");
          names.add(theirs + "/moving_mean" + suffix, ours + ".running_mean");
          names.add(theirs + "/moving_variance" + suffix, ours + ".running_var");
        };
        conv("conv1_conv", "conv1");
        if (!pre) norm_of("conv1_bn", "bn1");
        for (int stage = 2; stage <= 5; ++stage) {
          for (int block = 1; block <= depths[stage - 2]; ++block) {
            const std::string theirs = fmt::format("conv{}_block{}_", stage, block);
            const std::string ours = fmt::format("layer{}.{}.", stage - 1, block - 1);
            if (pre) norm_of(theirs + "preact_bn", ours + "bn1");
            if (block == 1) conv(theirs + "0_conv", ours + "downsample.0");
            if (block == 1 && !pre) norm_of(theirs + "0_bn", ours + "downsample.1");
            for (const int i : {1, 2, 3}) {
              conv(fmt::format("{}{}_conv", theirs, i), fmt::format("{}conv{}", ours, i),
                   !pre || i == 3);
              if (pre && i == 3) continue;
              norm_of(fmt::format("{}{}_bn", theirs, i),
                      fmt::format("{}bn{}", ours, pre ? i + 1 : i));
            }
          }
        }
        if (pre) norm_of("post_bn", "bn_last");
        names.add(std::string(head) + "/kernel" + suffix, "fc.weight", Arrangement::in_out);
        names.add(std::string(head) + "/bias" + suffix, "fc.bias");
        names.expect_fits("Keras's");
        names.expect_names_of(pre ? "keras_resnet50v2" : "keras_resnet50");
      }
    }
  }
}

TEST(Renames, TheDecodedSqueezeNet) {
  Naming names;
  names.layer("conv1", "features.0", both);
  const int places[] = {3, 4, 5, 7, 8, 9, 10, 12};  // torchvision's squeezenet1_0
  for (int fire = 2; fire <= 9; ++fire) {
    const std::string theirs = fmt::format("fire{}/", fire);
    const std::string ours = fmt::format("features.{}.", places[fire - 2]);
    names.layer(theirs + "conv1x1_1", ours + "squeeze", both);
    names.layer(theirs + "conv1x1_2", ours + "expand1x1", both);
    names.layer(theirs + "conv3x3_2", ours + "expand3x3", both);
  }
  names.layer("conv_final", "classifier.1", both);
  names.expect_fits("Caffe SqueezeNet's");
  names.expect_names_of("squeezenet1_0");
}

// The trunk of ssd_resnet34 in torchvision's names; shapes are those of the model.
std::vector<Wanted> ssd() { return wanted_by(find_model("ssd_resnet34"), 81, 3); }

Shape shape_of(const std::vector<Wanted>& wanted, const std::string& name) {
  const auto found = std::ranges::find(wanted, name, &Wanted::name);
  EXPECT_NE(found, wanted.end()) << name;
  return found == wanted.end() ? Shape{} : found->shape;
}

TEST(Renames, AClassifiersFirstStagesAreTheTrunkOfADetector) {
  std::vector<FakeTensor> file;
  for (const Wanted& w : wanted_by(find_model("resnet34"), 1000, 3)) {
    file.push_back({w.name, w.shape});
  }
  const std::vector<Wanted> wanted = ssd();
  const WeightFile whole = fake_file(file);
  const Match match = match_weights(whole, wanted);
  EXPECT_EQ(match.rename, "a classifier's");
  // 29 convolutions, 29 norms of four tensors.
  EXPECT_EQ(match.pairs.size(), 29u + 29 * 4);
  EXPECT_EQ(match.fresh.size(), wanted.size() - match.pairs.size());
  EXPECT_TRUE(match.missing.empty() && match.unused.empty() && match.different.empty());
  EXPECT_TRUE(match.fits(HeadPolicy::may_be_new));
  EXPECT_FALSE(match.fits(HeadPolicy::must_fit)) << "evaluation needs all of a network";
  EXPECT_NE(match.verdict().find("145 of 189 tensors; new: "), std::string::npos)
      << match.verdict();
  EXPECT_NE(match.verdict().find("left out: "), std::string::npos) << match.verdict();
  for (const Match::Pair& pair : match.pairs) {
    EXPECT_EQ(pair.wanted->shape, pair.source->shape) << pair.wanted->name;
  }
  const auto source_of = [&](const std::string& ours) {
    const auto found =
        std::ranges::find(match.pairs, ours, [](const Match::Pair& p) { return p.wanted->name; });
    return found == match.pairs.end() ? "" : found->source->name;
  };
  EXPECT_EQ(source_of("model.layer1.0.weight"), "conv1.weight");
  EXPECT_EQ(source_of("model.layer1.5.3.bn1.running_var"), "layer2.3.bn1.running_var");
  EXPECT_EQ(source_of("model.layer2.0.0.downsample.1.bias"), "layer3.0.downsample.1.bias");

  // A tensor of the trunk that is not there, or one that has no place, is not passed over.
  std::vector<FakeTensor> less = file, more = file;
  std::erase_if(less, [](const FakeTensor& t) { return t.name == "layer3.5.conv2.weight"; });
  more.push_back({"layer3.6.conv1.weight", {256, 256, 3, 3}});
  for (const auto& other : {less, more}) {
    const WeightFile damaged = fake_file(other);
    EXPECT_FALSE(match_weights(damaged, wanted).fits(HeadPolicy::may_be_new));
  }
}

// The official TensorFlow ResNet-34 that MLPerf's SSD starts from: 36 convolutions and norms, of
// which stages 1 to 3 are the first 29.
TEST(Renames, TensorFlowsClassifierIsATrunkToo) {
  const std::vector<Wanted> wanted = ssd();
  const char* stages[] = {"model.layer1.4.", "model.layer1.5.", "model.layer2.0."};
  const int blocks[] = {3, 4, 6};
  std::vector<std::pair<std::string, std::string>> order{{"model.layer1.0", "model.layer1.1"}};
  for (int stage = 0; stage < 3; ++stage) {
    for (int block = 0; block < blocks[stage]; ++block) {
      const std::string name = stages[stage] + std::to_string(block) + ".";
      if (block == 0 && stage > 0) order.push_back({name + "downsample.0", name + "downsample.1"});
      order.push_back({name + "conv1", name + "bn1"});
      order.push_back({name + "conv2", name + "bn2"});
    }
  }
  ASSERT_EQ(order.size(), 29u);
  std::vector<FakeTensor> file;
  for (int i = 0; i < 36; ++i) {
    const std::string number = i ? "_" + std::to_string(i) : "";
    const std::string& conv = order[static_cast<size_t>(std::min(i, 28))].first;
    const Shape s = i < 29 ? shape_of(wanted, conv + ".weight") : Shape{512, 512, 3, 3};
    file.push_back({"conv2d" + number + "/kernel", {s[2], s[3], s[1], s[0]}});
    for (const char* kind : {"gamma", "beta", "moving_mean", "moving_variance"}) {
      file.push_back({"batch_normalization" + number + "/" + kind, {s[0]}});
    }
  }
  file.push_back({"dense/kernel", {512, 1001}});
  file.push_back({"dense/bias", {1001}});
  file.push_back({"global_step", {}});
  const WeightFile checkpoint = fake_file(file);
  const Match match = match_weights(checkpoint, wanted);
  EXPECT_TRUE(match.fits(HeadPolicy::may_be_new)) << match.verdict();
  EXPECT_EQ(match.pairs.size(), 29u + 29 * 4);
  EXPECT_EQ(match.left_out.size(), 7u * 5 + 2);
  for (size_t i = 0; i < order.size(); ++i) {
    const auto found = std::ranges::find(match.pairs, order[i].first + ".weight",
                                         [](const Match::Pair& p) { return p.wanted->name; });
    ASSERT_NE(found, match.pairs.end()) << order[i].first;
    EXPECT_EQ(found->source->name, "conv2d" + (i ? "_" + std::to_string(i) : "") + "/kernel");
  }
}

TEST(Renames, ADetectorThatTensorFlowTrainedIsPutInOurOrder) {
  const std::vector<Wanted> wanted = ssd();
  std::vector<FakeTensor> file;
  const auto add = [&](const std::string& theirs, const std::string& ours) {
    const Shape s = shape_of(wanted, ours + ".weight");
    file.push_back({theirs + "/kernel", {s[2], s[3], s[1], s[0]}});
    file.push_back({theirs + "/bias", {s[0]}});
    file.push_back({theirs + "/kernel/Momentum", {s[2], s[3], s[1], s[0]}});
  };
  file.push_back({"resnet34/conv2d/kernel", {7, 7, 3, 64}});
  for (int i = 0; i < 5; ++i) {
    add(fmt::format("ssd/block{}-conv1x1", i + 7), fmt::format("additional_blocks.{}.0", i));
    add(fmt::format("ssd/block{}-conv3x3", i + 7), fmt::format("additional_blocks.{}.2", i));
  }
  for (int i = 0; i < 6; ++i) {
    add(fmt::format("ssd/class_net/class-{}", i + 3), fmt::format("conf.{}", i));
    add(fmt::format("ssd/box_net/box-{}", i + 3), fmt::format("loc.{}", i));
  }
  const WeightFile checkpoint = fake_file(file);
  const Match match = match_weights(checkpoint, wanted);
  EXPECT_EQ(match.rename, "TensorFlow's SSD");
  EXPECT_EQ(match.pairs.size(), 1u + 2 * 10 + 2 * 12);
  EXPECT_TRUE(match.unused.empty() && match.different.empty()) << match.verdict();
  // A fake tensor's elements are their places in it.
  for (const auto& [name, columns] : {std::pair{"conf.1.bias", 81}, std::pair{"loc.1.bias", 4}}) {
    const auto found =
        std::ranges::find(match.pairs, name, [](const Match::Pair& p) { return p.wanted->name; });
    ASSERT_NE(found, match.pairs.end()) << name;
    std::vector<float> ours(static_cast<size_t>(6 * columns));
    copy_renamed(*found->source, found->how, ours);
    const int theirs_of[] = {1, 0, 3, 2};  // x, y, width, height among ty, tx, th, tw
    for (int column = 0; column < columns; ++column) {
      for (int shape = 0; shape < 6; ++shape) {
        const int theirs = columns == 4 ? theirs_of[column] : column;
        EXPECT_EQ(ours[static_cast<size_t>(column * 6 + shape)],
                  static_cast<float>(shape * columns + theirs));
      }
    }
  }
}

}  // namespace
}  // namespace convoy::test
