#include "data/options.h"

#include <gtest/gtest.h>

#include "support/raises.h"
#include "support/temp_folder.h"

namespace convoy {
namespace {

DataOptions read(const std::map<std::string, std::string>& values, bool training = true) {
  Settings given;
  for (const auto& [key, text] : values) given[key] = {.text = text, .origin = "test"};
  Fields fields(given);
  DataOptions options;
  options.describe(fields, training);
  fields.finish();
  return options;
}

TEST(DataOptions, DefaultsAreTheDemo) {
  const DataOptions options = read({});
  EXPECT_EQ(options.dataset_name(), "fashion-mnist");
  EXPECT_EQ(options.tail(), EpochTail::drop);
  EXPECT_EQ(options.loader().prefetch, 3);
}

TEST(DataOptions, OpensWhatItDescribes) {
  const DataOptions options = read({{"dataset", "generated"},
                                    {"generated-image-size", "12"},
                                    {"generated-channels", "2"},
                                    {"generated-classes", "4"},
                                    {"generated-samples", "50"},
                                    {"augment", "flip,pad-crop"},
                                    {"crop-padding", "2"},
                                    {"mean", "0.5,0.4"},
                                    {"std", "0.2"},
                                    {"epoch-tail", "carry"}});
  const auto train = options.open(true, 1), test = options.open(false, 1);
  EXPECT_EQ(train->size(), 50);
  EXPECT_EQ(test->size(), 10);
  EXPECT_EQ(train->image_shape(), (Shape{2, 12, 12}));
  EXPECT_EQ(train->classes(), 4);
  EXPECT_EQ(options.tail(), EpochTail::carry);

  std::vector<uint8_t> pixels(288, 255);
  std::vector<float> out(288);
  options.chain(train->image_shape(), false).run(pixels.data(), out.data(), 1, nullptr);
  EXPECT_FLOAT_EQ(out[0], 2.5f);  // (1 - 0.5) / 0.2
  EXPECT_FLOAT_EQ(out[287], 3.0f);
  const AugmentChain chain = options.chain(train->image_shape(), true);
  EXPECT_GT(chain.scratch_bytes(), 0u);  // pad-crop is in it
}

TEST(DataOptions, AugmentationsDefaultToTheDatasetsOwn) {
  const Shape image{3, 32, 32};
  EXPECT_GT(read({{"dataset", "cifar-10"}}).chain(image, true).scratch_bytes(), 0u);
  EXPECT_EQ(read({{"dataset", "cifar-10"}}).chain(image, false).scratch_bytes(), 0u);
  EXPECT_EQ(read({{"dataset", "cifar-10"}, {"augment", "none"}}).chain(image, true).scratch_bytes(),
            0u);
  EXPECT_EQ(read({{"data-dir", "/x/cifar100"}}).dataset_name(), "cifar-100");
}

// The dataset's own means are of red, green and blue; typed ones of the channels as they come.
TEST(DataOptions, MeansFollowTheOrderOfTheChannels) {
  const auto mean = [](const std::map<std::string, std::string>& more) {
    std::map<std::string, std::string> values = more;
    values["dataset"] = "imagenet";
    for (const auto& [key, text] : read(values).preprocessing()) {
      if (key == "mean") return text;
    }
    return std::string();
  };
  EXPECT_EQ(mean({}), "0.485,0.456,0.406");
  EXPECT_EQ(mean({{"channel-order", "bgr"}}), "0.406,0.456,0.485");
  EXPECT_EQ(mean({{"channel-order", "bgr"}, {"mean", "0.1,0.2,0.3"}}), "0.1,0.2,0.3");
}

TEST(DataOptions, GreyPicturesHaveTheMeanOfTheirBrightness) {
  const DataOptions options = read({{"dataset", "imagenet"}, {"channels", "1"}});
  EXPECT_EQ(options.pictures(true).channels, 1);
  std::map<std::string, std::string> told;
  for (const auto& [key, text] : options.preprocessing()) told[key] = text;
  EXPECT_EQ(told.at("mean"), "0.459");  // 0.299 x 0.485 + 0.587 x 0.456 + 0.114 x 0.406
  EXPECT_EQ(told.at("std"), "0.226");
  EXPECT_EQ(told.at("picture-channels"), "1");
  options.chain({1, 32, 32}, true);
}

TEST(DataOptions, OwnPhotosAreTurnedAndImageNetIsNot) {
  const test::TempFolder folder;
  fs::create_directories(folder / "photos/train/cat");
  fs::create_directories(folder / "imagenet/train/n01440764");
  EXPECT_TRUE(read({{"data-dir", folder / "photos"}}).exif_turn);
  EXPECT_FALSE(read({{"data-dir", folder / "imagenet"}}).exif_turn);
  EXPECT_TRUE(read({{"data-dir", folder / "photos/train"}, {"val-share", "0.1"}}).exif_turn);
  EXPECT_TRUE(read({{"dataset", "imagefolder"}}).exif_turn);
  EXPECT_FALSE(read({{"dataset", "imagenet"}}).exif_turn);
  // What is said goes before it, and the weights tell what it was.
  const DataOptions stored = read({{"dataset", "imagefolder"}, {"exif-turn", "false"}}, false);
  EXPECT_FALSE(stored.exif_turn);
  for (const auto& [key, text] : stored.preprocessing()) {
    EXPECT_TRUE(key != "exif-turn" || text == "false");
  }
}

TEST(DataOptions, ARecipeForBoxesTakesTheFormatOfTheFolder) {
  const test::TempFolder folder;
  const std::string dir = folder.path().string();
  write_atomically(folder / "data.yaml", "train: images\nval: images\nnames: [cat]\n",
                   Fault::usage);
  EXPECT_EQ(read({{"dataset", "coco"}, {"data-dir", dir}}).dataset_name(), "yolo");
  EXPECT_EQ(read({{"dataset", "shapes"}, {"data-dir", dir}}).dataset_name(), "yolo");
  EXPECT_EQ(read({{"dataset", "imagenet"}, {"data-dir", dir}}).dataset_name(), "imagenet");
  fs::create_directories(folder / "drawn/annotations");
  write_atomically(folder / "drawn/annotations/instances_train2017.json", "{}", Fault::usage);
  EXPECT_EQ(read({{"dataset", "shapes"}, {"data-dir", dir + "/drawn"}}).dataset_name(), "shapes");
  DataOptions typed;
  Fields fields({{"dataset", {"coco", "command line"}}, {"data-dir", {dir, "command line"}}});
  typed.describe(fields);
  EXPECT_EQ(typed.dataset_name(), "coco");
}

TEST(DataOptions, FilesThatARunMakesHaveTheirPlace) {
  DataOptions options = read({{"dataset", "shapes"}});
  EXPECT_EQ(fs::path(options.data_dir), fs::absolute("data/shapes"));
  // What is there is left alone.
  const test::TempFolder folder;
  options.data_dir = folder.path().string();
  const auto refuse = [](const std::string&) { FAIL(); };
  options.make_absent_files(refuse, refuse);
  options.data_dir = folder / "missing";
  options.may_be_absent = true;
  EXPECT_TRUE(options.is_absent());
  EXPECT_EQ(options.open(true, 1)->size(), 8000);
}

TEST(DataOptions, AFolderThatTellsNothingIsTheFaultOfTheData) {
  test::expect_raises(Fault::data, {"no folder /no/such", "--data-dir"}, [] {
    read({{"data-dir", "/no/such/folder"}});
  });
}

TEST(DataOptions, RefuseWhatWouldBeIgnored) {
  const auto refused = [](std::initializer_list<std::string_view> words,
                          const std::map<std::string, std::string>& values) {
    test::expect_raises(Fault::usage, words, [&] {
      const DataOptions options = read(values);
      options.chain({3, 32, 32}, true);
    });
  };
  refused({"generated-samples", "dataset generated"}, {{"generated-samples", "9"}});
  refused({"mean", "mean-std"}, {{"normalise", "standardise"}, {"mean", "0.5"}});
  refused({"crop-padding", "pad-crop"}, {{"augment", "flip"}, {"crop-padding", "2"}});
  refused({"data-dir", "generated"}, {{"dataset", "generated"}, {"data-dir", "/x"}});
  refused({"standardise", "normalise"}, {{"augment", "flip,standardise"}});
  refused({"none"}, {{"augment", "flip,none"}});
  refused({"flop", "flip"}, {{"augment", "flop"}});
  refused({"epoch-tail"}, {{"epoch-tail", "round"}});
  refused({"val-share", "imagefolder"}, {{"dataset", "cifar-10"}, {"val-share", "0.1"}});
  refused({"picture-channels", "a dataset of pictures"},
          {{"dataset", "cifar-10"}, {"picture-channels", "1"}});
  refused({"no 2 channels", "--picture-channels 1"},
          {{"dataset", "imagenet"}, {"picture-channels", "2"}});
  refused({"channel-order", "colours"},
          {{"dataset", "imagenet"}, {"picture-channels", "1"}, {"channel-order", "bgr"}});
  refused({"unknown dataset 'mnist'"}, {{"dataset", "mnist"}});
}

TEST(DataOptions, ImagesStayBytesWhereTheChainLetsThem) {
  const DataOptions bytes = read({{"dataset", "cifar-10"}, {"eight-bit-io", "true"}});
  EXPECT_TRUE(bytes.loader().bytes);
  for (const bool train : {true, false}) {
    EXPECT_TRUE(bytes.chain({3, 32, 32}, train).keeps_bytes());
  }
  EXPECT_EQ(bytes.preprocessing(), read({{"dataset", "cifar-10"}}).preprocessing());
  // What is so anyway may be said; what contradicts it, or asks for floats, may not.
  EXPECT_FALSE(read({{"hostside-norm", "true"}}).loader().bytes);
  EXPECT_TRUE(read({{"eight-bit-io", "true"}, {"hostside-norm", "false"}}).loader().bytes);
  const auto refused = [](std::initializer_list<std::string_view> words,
                          std::map<std::string, std::string> values) {
    test::expect_raises(Fault::usage, words, [&] { read(values).chain({3, 32, 32}, true); });
  };
  refused({"eight-bit-io", "hostside-norm"}, {{"eight-bit-io", "true"}, {"hostside-norm", "true"}});
  refused({"hostside-norm", "--eight-bit-io"}, {{"hostside-norm", "false"}});
  refused({"standardise", "--normalise mean-std"},
          {{"eight-bit-io", "true"}, {"normalise", "standardise"}});
  refused({"pad-crop", "without --eight-bit-io"},
          {{"eight-bit-io", "true"}, {"augment", "pad-crop,pad-crop"}});
  test::expect_raises(Fault::usage, {"eight-bit-io"}, [] {
    read({{"eight-bit-io", "true"}}, false);
  });
}

// Whether two options give one training chain: what it makes of an image, for some keys.
void expect_equal_chains(const std::map<std::string, std::string>& one,
                         const std::map<std::string, std::string>& other, bool equal = true) {
  const Shape image{3, 32, 32};
  const auto run = [&](const std::map<std::string, std::string>& values) {
    const AugmentChain chain = read(values).chain(image, true);
    std::vector<uint8_t> pixels(static_cast<size_t>(image.count()));
    for (size_t i = 0; i < pixels.size(); ++i) pixels[i] = static_cast<uint8_t>(i * 31 % 251);
    std::vector<float> out(pixels.size()), all;
    std::vector<std::byte> scratch(chain.scratch_bytes());
    for (uint64_t key = 0; key < 30; ++key) {
      chain.run(pixels.data(), out.data(), mix(key), scratch.data());
      all.insert(all.end(), out.begin(), out.end());
    }
    return all;
  };
  EXPECT_EQ(run(one) == run(other), equal) << one.rbegin()->first << " " << one.rbegin()->second;
}

TEST(DataOptions, PoliciesHaveTorchvisionsFlags) {
  const std::string set = "cifar-10";  // pad-crop, flip
  for (const auto& [flag, name] : {std::pair{"imagenet", "auto-augment-imagenet"},
                                   {"cifar10", "auto-augment-cifar10"},
                                   {"svhn", "auto-augment-svhn"},
                                   {"ra", "rand-augment"},
                                   {"ta_wide", "trivial-augment-wide"},
                                   {"augmix", "augmix"}}) {
    expect_equal_chains({{"dataset", set}, {"auto-augment", flag}},
                        {{"dataset", set}, {"augment", std::string("pad-crop,flip,") + name}});
  }
  expect_equal_chains({{"dataset", set}, {"auto-augment", "none"}, {"random-erase", "0"}},
                      {{"dataset", set}, {"color-jitter", "0,0"}});
  // Wherever it is listed, erasing comes last, and only once.
  expect_equal_chains({{"dataset", set}, {"random-erase", "0.6"}, {"auto-augment", "ra"}},
                      {{"dataset", set},
                       {"random-erase", "0.6"},
                       {"augment", "random-erase,pad-crop,flip,rand-augment"}});
  expect_equal_chains(
      {{"dataset", set}, {"random-erase", "0.6"}, {"augment", "flip"}},
      {{"dataset", set}, {"random-erase", "0.6"}, {"augment", "random-erase,flip"}});
  expect_equal_chains({{"dataset", set}, {"color-jitter", "0.4,0.2"}},
                      {{"dataset", set},
                       {"colour_jitter", "0.4,0.2,0,0"},
                       {"augment", "pad-crop,flip,color-jitter"}});
  // Each option has an effect.
  expect_equal_chains({{"dataset", set}, {"auto-augment", "ra"}},
                      {{"dataset", set}, {"auto-augment", "ra"}, {"ra-magnitude", "3"}}, false);
  expect_equal_chains({{"dataset", set}, {"auto-augment", "augmix"}},
                      {{"dataset", set}, {"auto-augment", "augmix"}, {"augmix-severity", "9"}},
                      false);
  expect_equal_chains(
      {{"dataset", set}, {"auto-augment", "ta_wide"}},
      {{"dataset", set}, {"auto-augment", "ta_wide"}, {"policy-interpolation", "bilinear"}}, false);
  // Evaluation sees none of it.
  EXPECT_EQ(read({{"dataset", set}, {"auto-augment", "ra"}, {"random-erase", "1"}})
                .chain({3, 32, 32}, false)
                .scratch_bytes(),
            0u);
}

TEST(DataOptions, PoliciesWorkOnBytesAndErasingDoesNot) {
  const std::map<std::string, std::string> bytes{
      {"dataset", "cifar-10"}, {"auto-augment", "ra"}, {"eight-bit-io", "true"}};
  EXPECT_TRUE(read(bytes).chain({3, 32, 32}, true).keeps_bytes());
  const auto refused = [&](std::initializer_list<std::string_view> words,
                           std::map<std::string, std::string> values) {
    values.emplace("dataset", "cifar-10");
    test::expect_raises(Fault::usage, words, [&] { read(values).chain({3, 32, 32}, true); });
  };
  refused({"random-erase", "without --eight-bit-io"},
          {{"eight-bit-io", "true"}, {"random-erase", "0.2"}});
  refused({"ra-magnitude", "auto-augment ra"}, {{"ra-magnitude", "5"}});
  refused({"ra-magnitude", "auto-augment ra"}, {{"ra-magnitude", "5"}, {"auto-augment", "svhn"}});
  refused({"ra-magnitude"}, {{"ra-magnitude", "31"}, {"auto-augment", "ra"}});
  refused({"augmix-severity", "augmix"}, {{"augmix-severity", "5"}});
  refused({"policy-interpolation", "policy"}, {{"policy-interpolation", "bilinear"}});
  refused({"one of them", "ra"}, {{"augment", "flip,augmix"}, {"auto-augment", "ra"}});
  refused({"no probability", "--random-erase"}, {{"augment", "flip,random-erase"}});
  refused({"no strengths", "--color-jitter"}, {{"augment", "flip,color-jitter"}});
  refused({"random-erase"}, {{"random-erase", "1.5"}});
  refused({"auto-augment", "ta_wide"}, {{"auto-augment", "trivial"}});
}

TEST(DataOptions, ViewsOfFloatsFixWhatTheyFix) {
  const std::map<std::string, std::string> ssd{{"dataset", "coco"},
                                               {"crop", "ssd-crop"},
                                               {"eval-crop", "ssd-whole"},
                                               {"augment", "flip,ssd-jitter"},
                                               {"normalise", "mean-std-reciprocal"}};
  const DataOptions options = read(ssd);
  EXPECT_EQ(options.chain({3, 32, 32}, true).distorts(), "");
  for (const auto& [key, text] : options.preprocessing()) EXPECT_NE(key, "interpolation") << text;
  const auto refused = [&](std::initializer_list<std::string_view> words,
                           const std::map<std::string, std::string>& more, bool training = true) {
    std::map<std::string, std::string> values = more;
    values.insert(ssd.begin(), ssd.end());
    if (!training) {
      values.erase("crop");
      values.erase("augment");
    }
    test::expect_raises(Fault::usage, words, [&] {
      read(values, training).chain({3, 32, 32}, training);
    });
  };
  refused({"interpolation", "crop"}, {{"interpolation", "bicubic"}});
  refused({"interpolation", "crop"}, {{"interpolation", "bicubic"}}, false);
  refused({"eight-bit-io", "ssd-crop", "not rounded"},
          {{"eight-bit-io", "true"}, {"augment", "flip"}});
  refused({"rand-augment", "ssd-crop", "not rounded"}, {{"auto-augment", "ra"}});
  // It resizes what another view sees.
  EXPECT_EQ(read({{"dataset", "coco"},
                  {"eval-crop", "ssd-whole"},
                  {"crop", "random-resized"},
                  {"interpolation", "bicubic"}})
                .interpolation,
            Interpolation::bicubic);
}

TEST(DataOptions, WithoutTrainingHaveNoAugmentation) {
  test::expect_raises(Fault::usage, {"augment"}, [] { read({{"augment", "flip"}}, false); });
  EXPECT_EQ(read({{"dataset", "cifar-10"}}, false).dataset_name(), "cifar-10");
}

}  // namespace
}  // namespace convoy
