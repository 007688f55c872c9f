// `convoy export` as a user meets it: files, what is told about them, and what is refused.

#include <gtest/gtest.h>

#include <cmath>
#include <cstring>

#include "export/onnx_file.h"
#include "support/run_files.h"
#include "support/tiny_pictures.h"
#include "tensor/number_types.h"
#include "weights/safetensors.h"

namespace convoy {
namespace {

using test::Arguments;
using test::Finished;
using test::joined;
using test::Json;
using test::TempFolder;
using test::tiny;
using test::TinyRun;

constexpr int usage = 2, checkpoint = 4;

const TinyRun& trained() {
  static const TinyRun run(tiny({"--max-steps", "2", "--eval-epochs", "0", "--ema-decay", "0.5"}));
  static const TinyRun& whole = run.whole();
  return whole;
}

Finished exported(const Arguments& options) {
  return test::run_convoy(joined({"export", "--checkpoint", "runs/a"}, options),
                          trained().folder());
}

std::string content(const std::string& file) {
  return read_file(trained().folder() / file, Fault::bug);
}

void expect_refused(const Arguments& options, int code, const Arguments& words) {
  SCOPED_TRACE(testing::PrintToString(options));
  const Finished end = test::run_convoy(joined({"export"}, options), trained().folder());
  EXPECT_EQ(end.code, code) << end.err;
  EXPECT_EQ(test::lines_of(end.err).size(), 1u) << end.err;
  EXPECT_EQ(end.out, "");
  for (const std::string& word : words) {
    EXPECT_NE(end.err.find(word), std::string::npos) << "no '" << word << "' in: " << end.err;
  }
}

TEST(Export, AnOnnxFileIsVerifiedToldAndTheSameEachTime) {
  const Finished first = exported({"--output", "a.onnx", "--verify", "20", "--json"});
  ASSERT_EQ(first.code, 0) << first.err;
  const Json told = Json::parse(first.out);
  EXPECT_EQ(told["format"], "onnx");
  EXPECT_EQ(told["opset"], 13);
  EXPECT_EQ(told["batch"], nullptr);
  EXPECT_EQ(told["output"], "logits");
  EXPECT_GT(told["folded_batch_norms"], 0);
  EXPECT_EQ(told["weights_hash"], test::weights_hash_of(trained().dir()));
  EXPECT_EQ(told["verify"]["images"], 20);
  EXPECT_EQ(told["verify"]["of"], "generated");
  EXPECT_EQ(told["verify"]["same_top1"], 20);
  EXPECT_LE(told["verify"]["max_rel"], 1e-5);
  EXPECT_EQ(told["bytes"], content("a.onnx").size());

  ASSERT_EQ(exported({"--output", "b.onnx"}).code, 0);
  EXPECT_TRUE(content("a.onnx") == content("b.onnx"));
  const OnnxModel model = decode_onnx(content("a.onnx"), "a.onnx");
  EXPECT_TRUE(model.metadata.contains("convoy.class-names"));
  EXPECT_TRUE(model.metadata.contains("convoy.recipe"));
  EXPECT_EQ(model.metadata.at("convoy.option.dataset"), "generated");
  EXPECT_FALSE(model.metadata.contains("format"));

  // The average's are other weights.
  ASSERT_EQ(exported({"--output", "ema.onnx", "--weights", "ema", "--verify", "3"}).code, 0);
  EXPECT_FALSE(content("ema.onnx") == content("b.onnx"));
}

TEST(Export, OptionsShapeTheFile) {
  const Finished end = exported({"--output", "c.bin", "--format", "onnx", "--no-fold-batch-norm",
                                 "--batch-size", "4", "--image-size", "40", "--softmax", "--opset",
                                 "17", "--verify", "6", "--json"});
  ASSERT_EQ(end.code, 0) << end.err;
  const Json told = Json::parse(end.out);
  EXPECT_EQ(told["folded_batch_norms"], 0);
  EXPECT_EQ(told["verify"]["of"], "noise");  // no dataset has that size
  EXPECT_EQ(told["verify"]["images"], 6);
  const OnnxModel model = decode_onnx(content("c.bin"), "c.bin");
  EXPECT_EQ(model.opset, 17);
  EXPECT_EQ(model.inputs[0].dims[0], 4);
  EXPECT_EQ(model.inputs[0].dims[2], 40);
  EXPECT_EQ(model.outputs[0].name, "probabilities");
}

TEST(Export, SafetensorsGoInAgainAndSayTheSame) {
  const Finished end = exported({"--output", "d.safetensors", "--verify", "5"});
  ASSERT_EQ(end.code, 0) << end.err;
  EXPECT_NE(end.out.find("relative 0, top-1 agrees on 5"), std::string::npos) << end.out;
  const auto evaluated = [](const std::string& weights) {
    const Finished eval =
        test::run_convoy({"eval", "--checkpoint", weights, "--json"}, trained().folder());
    EXPECT_EQ(eval.code, 0) << eval.err;
    return eval.out;
  };
  EXPECT_EQ(evaluated("d.safetensors"), evaluated("runs/a"));
  // And out of that file again: the same bytes.
  const Finished again = test::run_convoy(
      {"export", "--checkpoint", "d.safetensors", "--output", "e.safetensors"}, trained().folder());
  ASSERT_EQ(again.code, 0) << again.err;
  EXPECT_TRUE(content("d.safetensors") == content("e.safetensors"));
}

// A run on pictures: what is written is what the run says, at every size, and it is compared on its
// own pictures.
TEST(Export, SafetensorsInBf16HoldTheRoundedWeights) {
  ASSERT_EQ(exported({"--output", "wide.safetensors"}).code, 0);
  const Finished end =
      exported({"--output", "narrow.safetensors", "--dtype", "bf16", "--verify", "8", "--json"});
  ASSERT_EQ(end.code, 0) << end.err;
  EXPECT_EQ(Json::parse(end.out)["dtype"], "bf16");
  EXPECT_EQ(Json::parse(end.out)["verify"]["max_abs"], 0);
  const fs::path folder = trained().folder();
  const auto wide = SafetensorsFile::read(folder / "wide.safetensors");
  const auto narrow = SafetensorsFile::read(folder / "narrow.safetensors");
  EXPECT_LT(narrow.size(), wide.size() * 6 / 10);
  ASSERT_EQ(narrow.tensors().size(), wide.tensors().size());
  for (const TensorEntry& tensor : wide.tensors()) {
    const TensorEntry& stored = narrow.at(tensor.name);
    const bool rounds = tensor.dtype == DType::f32 && tensor.shape.rank() > 1;
    EXPECT_EQ(stored.dtype, rounds ? DType::bf16 : tensor.dtype) << tensor.name;
    for (int64_t i = 0; rounds && i < tensor.shape.count(); ++i) {
      float value = 0;
      uint16_t bits = 0;
      std::memcpy(&value, tensor.data.data() + i * 4, 4);
      std::memcpy(&bits, stored.data.data() + i * 2, 2);
      ASSERT_EQ(bits, narrowed(value).bits) << tensor.name;
    }
  }
  // Other verbs read it.
  const Finished eval =
      test::run_convoy({"eval", "--checkpoint", "narrow.safetensors", "--json"}, folder);
  EXPECT_EQ(eval.code, 0) << eval.err;
}

// The file has half the bytes, and computes what the rounded weights do (--verify).
TEST(Export, OnnxInBf16HoldsTheRoundedWeights) {
  const Finished wide = exported({"--output", "wide.onnx", "--json"});
  ASSERT_EQ(wide.code, 0) << wide.err;
  const Finished end =
      exported({"--output", "narrow.onnx", "--dtype", "bf16", "--verify", "8", "--json"});
  ASSERT_EQ(end.code, 0) << end.err;
  const Json told = Json::parse(end.out);
  EXPECT_EQ(told["folded_batch_norms"], 0);
  EXPECT_LT(told["verify"]["max_rel"], 1e-5);
  EXPECT_LT(told["bytes"], 0.65 * Json::parse(wide.out)["bytes"].get<double>());
  const Finished again = exported({"--output", "again.onnx", "--dtype", "bf16", "--json"});
  EXPECT_EQ(again.code, 0) << again.err;
  expect_refused(
      {"--checkpoint", "runs/a", "--output", "x.onnx", "--dtype", "bf16", "--fold-batch-norm"},
      usage, {"--fold-batch-norm and --dtype bf16 contradict"});
}

TEST(Export, OfARunOnPicturesSaysWhatTheRunSaid) {
  const TempFolder folder;
  for (const char* split : {"train", "val"}) {
    for (int n = 0; n < 8; ++n) {
      const fs::path place = folder / "photos" / split / (n % 2 ? "ant" : "bee");
      fs::create_directories(place);
      write_atomically(place / (std::to_string(n) + ".png"), test::tiny_png(n), Fault::bug);
    }
  }
  for (const std::string size : {"32", "96", "256"}) {
    SCOPED_TRACE(size);
    const Finished run =
        test::run_convoy({"train", "--data-dir", "photos", "--model", "cifar_resnet8",
                          "--image-size", size, "--batch-size", "4", "--max-steps", "1",
                          "--interpolation", "bicubic", "--name", "r" + size, "--quiet"},
                         folder.path());
    ASSERT_EQ(run.code, 0) << run.err;
    for (const std::string ending : {".onnx", ".safetensors"}) {
      const Finished end = test::run_convoy({"export", "--checkpoint", "runs/r" + size, "--output",
                                             size + ending, "--verify", "5", "--json"},
                                            folder.path());
      ASSERT_EQ(end.code, 0) << end.err;
      const Json told = Json::parse(end.out);
      EXPECT_EQ(told["verify"]["of"], "imagefolder");
      EXPECT_EQ(told["image"], Json::array({3, std::stoi(size), std::stoi(size)}));
      const std::string bytes = read_file(folder / (size + ending), Fault::bug);
      Metadata about;
      if (ending == ".onnx") {
        for (const auto& [key, value] : decode_onnx(bytes, "x").metadata) about[key] = value;
      } else {
        about = SafetensorsFile::read(folder / (size + ending)).metadata();
      }
      EXPECT_EQ(about["convoy.image"], "3x" + size + "x" + size);
      EXPECT_EQ(about["convoy.option.image-size"], size);
      EXPECT_EQ(about["convoy.option.eval-resize"], std::to_string(std::stoi(size) * 256 / 224));
      EXPECT_EQ(about["convoy.option.interpolation"], "bicubic");
      EXPECT_EQ(about["convoy.class-names"], "[\"ant\",\"bee\"]");
    }
  }
  // Another size is typed: all that follows from it follows.
  const Finished end = test::run_convoy({"export", "--checkpoint", "runs/r96", "--output", "x.onnx",
                                         "--image-size", "64", "--verify", "5", "--json"},
                                        folder.path());
  ASSERT_EQ(end.code, 0) << end.err;
  EXPECT_EQ(Json::parse(end.out)["verify"]["of"], "imagefolder");
  Metadata about;
  for (const auto& [key, value] :
       decode_onnx(read_file(folder / "x.onnx", Fault::bug), "x").metadata) {
    about[key] = value;
  }
  EXPECT_EQ(about["convoy.image"], "3x64x64");
  EXPECT_EQ(about["convoy.option.image-size"], "64");
  EXPECT_EQ(about["convoy.option.eval-resize"], "73");
}

TEST(Export, WhatMakesNoSenseIsRefused) {
  const Arguments from{"--checkpoint", "runs/a"};
  expect_refused({}, usage, {"--checkpoint"});
  expect_refused(from, usage, {"--output"});
  expect_refused(joined(from, {"--output", "x.pb"}), usage, {"x.pb", "try: --format onnx"});
  expect_refused(joined(from, {"--output", "x.onnx", "--opset", "12"}), usage, {"opset", "12"});
  expect_refused(joined(from, {"--output", "x.onnx", "--threads", "1"}), usage,
                 {"--threads", "--verify"});
  expect_refused(joined(from, {"--output", "x.onnx", "--nms"}), usage, {"--nms", "detectors"});
  expect_refused(joined(from, {"--output", "no/such/x.onnx"}), usage, {"no/such"});
  expect_refused(joined(from, {"--output", "no/such/x.onnx", "--verify", "1"}), usage, {"no/such"});
  for (const char* option : {"--softmax", "--nms", "--no-fold-batch-norm", "--opset=14",
                             "--batch-size=2", "--image-size=8"}) {
    expect_refused(joined(from, {"--output", "x.safetensors", option}), usage,
                   {"safetensors", "try: --format onnx"});
  }
  expect_refused({"--checkpoint", "nowhere", "--output", "x.onnx"}, checkpoint, {"nowhere"});
  expect_refused(joined(from, {"--output", "x.onnx", "--model", "cifar_resnet20"}), checkpoint,
                 {"layer"});
  write_atomically(trained().folder() / "bad.safetensors", "not a file of weights", Fault::bug);
  expect_refused({"--checkpoint", "bad.safetensors", "--output", "x.onnx"}, checkpoint,
                 {"bad.safetensors"});
  EXPECT_FALSE(fs::exists(trained().folder() / "x.onnx"));
  EXPECT_FALSE(fs::exists(trained().folder() / "x.safetensors"));
}

TEST(Export, AFileThatDisagreesIsNotKept) {
  // What is no number agrees with nothing.
  const fs::path folder = trained().folder();
  SafetensorsFile file = SafetensorsFile::read(folder / "runs/a/weights/last.safetensors");
  std::vector<float> broken(static_cast<size_t>(file.at("fc.bias").shape.count()), NAN);
  std::vector<TensorEntry> tensors = file.tensors();
  for (TensorEntry& t : tensors) {
    if (t.name == "fc.bias") t.data = std::as_bytes(std::span(broken));
  }
  write_safetensors(folder / "nan.safetensors", tensors, file.metadata());
  write_atomically(folder / "old.onnx", "an older file", Fault::bug);
  for (const char* output : {"new.onnx", "old.onnx"}) {
    expect_refused({"--checkpoint", "nan.safetensors", "--output", output, "--verify", "2"},
                   checkpoint, {output, "something else than the network", "nothing was kept"});
  }
  EXPECT_FALSE(fs::exists(folder / "new.onnx"));
  EXPECT_EQ(content("old.onnx"), "an older file");
  for (const auto& entry : fs::directory_iterator(folder)) {
    EXPECT_EQ(entry.path().filename().string().find(".tmp"), std::string::npos) << entry.path();
  }
}

}  // namespace
}  // namespace convoy
