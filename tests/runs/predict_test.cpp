// `convoy predict`: the same answers as `convoy eval` counts, however the images are brought.

#include <gtest/gtest.h>

#include <cstring>

#include "data/options.h"
#include "support/run_files.h"
#include "support/tiny_sets.h"
#include "weights/safetensors.h"

namespace convoy {
namespace {

using test::Arguments;
using test::Finished;
using test::joined;
using test::Json;
using test::tiny;
using test::TinyRun;

constexpr int64_t images = 52, side = 8;  // the test set of the tiny recipe

Finished predict(const TinyRun& run, const Arguments& more) {
  return test::run_convoy(joined({"predict", "--checkpoint", "runs/a"}, more), run.folder());
}

std::vector<Json> json_lines(const std::string& text) {
  std::vector<Json> all;
  for (const std::string& line : test::lines_of(text)) all.push_back(Json::parse(line));
  return all;
}

std::string npy(const std::string& descr, const std::string& shape, const std::string& data) {
  std::string header =
      "{'descr': '" + descr + "', 'fortran_order': False, 'shape': " + shape + ", }\n";
  std::string file("\x93NUMPY\x01\0", 8);
  file += static_cast<char>(header.size());
  file += '\0';
  return file + header + data;
}

// The test images as bytes, planes first or channels last, and as the network sees them.
struct TestImages {
  std::string planes, channels_last, floats;
  std::vector<int64_t> labels;

  explicit TestImages(const DataOptions& options) {
    const auto data = options.open(false, 1);
    const AugmentChain chain = options.chain(data->image_shape(), false);
    const int64_t count = data->image_shape().count(), plane = side * side;
    std::vector<uint8_t> pixels(static_cast<size_t>(count));
    std::vector<float> seen(pixels.size());
    for (int64_t n = 0; n < data->size(); ++n) {
      int32_t label = 0;
      test::read_labelled(*data, n, 0, pixels.data(), label);
      labels.push_back(label);
      planes.append(pixels.begin(), pixels.end());
      for (int64_t i = 0; i < plane; ++i) {
        for (int64_t c = 0; c < 3; ++c) {
          channels_last += static_cast<char>(pixels[static_cast<size_t>(c * plane + i)]);
        }
      }
      chain.run(pixels.data(), seen.data(), 0, nullptr);
      floats.append(reinterpret_cast<const char*>(seen.data()), seen.size() * sizeof(float));
    }
  }
};

TestImages test_images() {
  DataOptions options;
  options.dataset = "generated";
  options.image_size = side;
  options.generated_channels = 3;
  options.generated_classes = 10;
  options.generated_samples = 256;
  return TestImages(options);
}

TEST(PredictRun, GivesTheSameAnswersHoweverTheImagesAreBrought) {
  const TinyRun run(tiny({"--epochs", "1"}));
  run.whole();
  const Json evaluated =
      Json::parse(test::run_convoy({"eval", "--checkpoint", "runs/a", "--json"}, run.folder()).out);
  const Finished whole = predict(run, {"--json", "--logits", "all.safetensors"});
  EXPECT_EQ(whole.code, 0) << whole.err;
  const std::vector<Json> lines = json_lines(whole.out);
  ASSERT_EQ(lines.size(), static_cast<size_t>(images));
  int64_t correct = 0;
  for (size_t i = 0; i < lines.size(); ++i) {
    EXPECT_EQ(lines[i].at("index"), i);
    ASSERT_EQ(lines[i].at("top").size(), 5u);
    EXPECT_EQ(lines[i].at("top")[0].at("name"),
              fmt::format("class {}", lines[i].at("top")[0].at("class").get<int>()));
    correct += lines[i].at("top")[0].at("class") == lines[i].at("label");
  }
  EXPECT_EQ(correct, evaluated.at("correct"));
  EXPECT_GT(correct, 10);
  EXPECT_LT(correct, images) << "choose a run that makes mistakes";
  const SafetensorsFile logits = SafetensorsFile::read(run.folder() / "all.safetensors");
  EXPECT_EQ(logits.at("logits").shape, (Shape{images, 10}));

  // As tensors.
  const TestImages given = test_images();
  using test::write_bytes;
  write_bytes(run.folder() / "planes.npy", npy("|u1", "(52, 3, 8, 8)", given.planes));
  write_bytes(run.folder() / "last.npy", npy("|u1", "(52, 8, 8, 3)", given.channels_last));
  write_bytes(run.folder() / "floats.npy", npy("<f4", "(52, 3, 8, 8)", given.floats));
  const std::vector<TensorEntry> labelled{
      {"images", DType::u8, {images, 3, side, side}, std::as_bytes(std::span(given.planes))},
      {"labels", DType::s64, {images}, std::as_bytes(std::span(given.labels))}};
  write_safetensors(run.folder() / "labelled.safetensors", labelled);
  std::string unlabelled;
  for (Json line : lines) {
    line.erase("label");
    unlabelled += line.dump() + "\n";
  }
  for (const char* file : {"planes.npy", "last.npy", "floats.npy"}) {
    const Finished end = predict(run, {"--json", "--input", file, "--batch-size", "7"});
    EXPECT_EQ(end.out, unlabelled) << file << end.err;
  }
  EXPECT_EQ(predict(run, {"--json", "--input", "labelled.safetensors"}).out, whole.out);

  // Several, one after another; to a file; only the first.
  const Finished both = predict(run, {"--input", "floats.npy,last.npy", "--first", "60", "--logits",
                                      "both.safetensors", "--output", "both.jsonl"});
  EXPECT_EQ(both.out, "60 images\n") << both.err;
  const std::vector<Json> second = json_lines(read_file(run.folder() / "both.jsonl", Fault::bug));
  ASSERT_EQ(second.size(), 60u);
  EXPECT_EQ(second[59].at("index"), 59);
  EXPECT_EQ(second[59].at("top"), lines[7].at("top"));
  EXPECT_EQ(SafetensorsFile::read(run.folder() / "both.safetensors").at("logits").shape,
            (Shape{60, 10}));
}

TEST(PredictRun, TellsPeopleWhatIsRight) {
  const TinyRun run(tiny({"--epochs", "1"}));
  run.whole();
  const std::vector<Json> answers = json_lines(predict(run, {"--json", "--top", "1"}).out);
  const Finished end = predict(run, {"--top", "2"});
  const std::vector<std::string> lines = test::lines_of(end.out);
  ASSERT_EQ(lines.size(), static_cast<size_t>(images) + 1) << end.err;
  for (size_t i = 0; i < answers.size(); ++i) {
    const bool is_right = answers[i].at("top")[0].at("class") == answers[i].at("label");
    EXPECT_NE(lines[i].find(is_right ? "  right  class" : "  wrong  class"), std::string::npos)
        << lines[i];
  }
  const Json evaluated =
      Json::parse(test::run_convoy({"eval", "--checkpoint", "runs/a", "--json"}, run.folder()).out);
  EXPECT_TRUE(lines.back().starts_with(
      fmt::format("52 images: top-1 {:.2f}% ({}/52), top-5 {:.2f}% ({}/52)",
                  evaluated.at("top1").get<double>(), evaluated.at("correct").get<int>(),
                  evaluated.at("top5").get<double>(), evaluated.at("correct5").get<int>())))
      << lines.back();
  // Fewer, more than there are, the other part, the moving average of a run that has none.
  EXPECT_EQ(test::lines_of(predict(run, {"--first", "3"}).out).size(), 4u);
  EXPECT_EQ(test::lines_of(predict(run, {"--first", "99"}).out),
            test::lines_of(predict(run, {}).out));
  EXPECT_EQ(test::lines_of(predict(run, {"--split", "train"}).out).size(), 257u);
  EXPECT_EQ(predict(run, {"--weights", "ema"}).code, 4);
}

TEST(PredictRun, RefusesWhatIsNoPicture) {
  const TinyRun run(tiny({"--max-steps", "1"}));
  run.whole();
  const auto refused = [&](int code, const Arguments& more, const Arguments& words) {
    const Finished end = predict(run, more);
    EXPECT_EQ(end.code, code) << end.err;
    EXPECT_EQ(end.out, "");
    EXPECT_EQ(test::lines_of(end.err).size(), 1u) << end.err;
    for (const std::string& word : words) {
      EXPECT_NE(end.err.find(word), std::string::npos) << word << ": " << end.err;
    }
  };
  const auto write = [&](const char* name, const std::string& bytes) {
    test::write_bytes(run.folder() / name, bytes);
  };
  const std::string zeros(4 * 3 * 9 * 9, '\0');
  write("size.npy", npy("|u1", "(1, 3, 9, 9)", zeros.substr(0, 243)));
  write("last.npy", npy("<f4", "(1, 8, 8, 3)", zeros.substr(0, 768)));
  write("rank.npy", npy("|u1", "(3, 8, 8)", zeros.substr(0, 192)));
  write("none.npy", npy("|u1", "(0, 3, 8, 8)", ""));
  write("short.npy", npy("|u1", "(2, 3, 8, 8)", zeros.substr(0, 192)));
  write("good.npy", npy("|u1", "(1, 3, 8, 8)", zeros.substr(0, 192)));
  write("text.safetensors", "nothing of the kind");
  write("photo.jpg", "\xff\xd8");
  for (const char* file : {"size.npy", "last.npy", "rank.npy", "none.npy", "short.npy",
                           "text.safetensors", "nowhere.npy"}) {
    refused(3, {"--input", file}, {file});
    refused(3, {"--input", std::string("good.npy,") + file}, {file});
  }
  refused(2, {"--input", "photo.jpg,good.npy"}, {"both pictures and tensors"});
  const Finished photo = predict(run, {"--input", "photo.jpg"});
  EXPECT_EQ(photo.code, 3);
  EXPECT_NE(photo.err.find("photo.jpg"), std::string::npos) << photo.err;
  EXPECT_EQ(photo.out, "0 images, 1 not to be read\n");
  refused(2, {"--input", "good.npy", "--split", "train"}, {"--split", "--input"});
  refused(2, {"--json", "--output", "x.jsonl"}, {"--output"});
  refused(2, {"--logits", "x.npy"}, {"x.npy", ".safetensors"});
  refused(2, {"--top", "0"}, {"top"});
  refused(2, {"--min-score", "0.05"}, {"--min-score", "detection", "cifar_resnet8"});
  refused(2, {"--results", "x.json"}, {"--results", "detection"});
  refused(2, {"--annotations", "x.json"}, {"--annotations", "--results"});
  const std::vector<int32_t> labels{10};
  const std::vector<TensorEntry> wrong{
      {"image", DType::u8, {1, 3, 8, 8}, std::as_bytes(std::span(zeros).subspan(0, 192))},
      {"label", DType::s32, {1}, std::as_bytes(std::span(labels))}};
  write_safetensors(run.folder() / "label.safetensors", wrong);
  refused(3, {"--input", "label.safetensors"}, {"label.safetensors", "label 10"});
  const std::vector<TensorEntry> two{
      {"a", DType::u8, {1, 3, 8, 8}, std::as_bytes(std::span(zeros).subspan(0, 192))},
      {"b", DType::u8, {1, 3, 8, 8}, std::as_bytes(std::span(zeros).subspan(0, 192))}};
  write_safetensors(run.folder() / "two.safetensors", two);
  refused(3, {"--input", "two.safetensors"}, {"two.safetensors", "images"});

  // Weights of other programs do not say it: then the user must.
  const SafetensorsFile known = SafetensorsFile::read(run.dir() / "weights/last.safetensors");
  write_safetensors(run.folder() / "foreign.safetensors", known.tensors());
  const auto foreign = [&](const Arguments& more) {
    return test::run_convoy(joined({"predict", "--checkpoint", "foreign.safetensors"}, more),
                            run.folder());
  };
  EXPECT_NE(foreign({"--input", "good.npy"}).err.find("--model"), std::string::npos);
  const Arguments model{"--input", "good.npy", "--model", "cifar_resnet8"};
  EXPECT_NE(foreign(model).err.find("--mean"), std::string::npos);
  const Finished told = foreign(joined(model, {"--mean", "0.499", "--std", "0.1816"}));
  EXPECT_EQ(told.out, predict(run, {"--input", "good.npy"}).out) << told.err;
}

}  // namespace
}  // namespace convoy
