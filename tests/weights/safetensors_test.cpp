#include "weights/safetensors.h"

#include <gtest/gtest.h>

#include <cstring>

#include "base/random.h"
#include "support/temp_folder.h"

namespace convoy {
namespace {

std::string file_of(std::string header, std::string_view data, int64_t claimed = -1) {
  const uint64_t length = claimed < 0 ? header.size() : static_cast<uint64_t>(claimed);
  std::string bytes(8, '\0');
  std::memcpy(bytes.data(), &length, 8);
  return bytes + header + std::string(data);
}

template <class T>
TensorEntry entry(std::string name, DType dtype, Shape shape, const std::vector<T>& values) {
  return {std::move(name), dtype, shape, std::as_bytes(std::span(values))};
}

std::string joined(const SafetensorsImage& image) {
  std::string all;
  for (const std::string_view part : image.parts()) all += part;
  return all;
}

// The message of the Fault::checkpoint that reading `bytes` must give.
std::string refusal(const std::string& bytes) {
  try {
    SafetensorsFile(bytes, "x.safetensors");
  } catch (const Error& error) {
    EXPECT_EQ(error.fault(), Fault::checkpoint);
    const std::string message = error.what();
    EXPECT_TRUE(message.starts_with("x.safetensors: ")) << message;
    EXPECT_EQ(message.find('\n'), std::string::npos) << message;
    return message;
  }
  return "accepted";
}

void expect_refused(const std::string& bytes, const char* words) {
  EXPECT_PRED_FORMAT2(testing::IsSubstring, words, refusal(bytes)) << words;
}

const std::vector<float> three{1.5f, -2, 3e30f};
const std::vector<int64_t> count{7};
const std::vector<uint8_t> mask{1, 0, 255};
const std::vector<uint16_t> halves{0x3c00, 0x3f80, 1, 2, 3, 4};
const std::vector<int32_t> labels{-1, 2};
const std::vector<float> nothing;

std::vector<TensorEntry> sample() {
  return {
      entry("layer1.0.conv1.weight", DType::f32, {3, 1}, three),
      entry("bn1.num_batches_tracked", DType::s64, {}, count),
      entry("mask", DType::u8, {3}, mask),
      entry("half", DType::f16, {1, 2, 1, 3, 1, 1}, halves),
      entry("brain", DType::bf16, {6}, halves),
      entry("labels", DType::s32, {2}, labels),
      entry("empty", DType::f32, {4, 0}, nothing),
  };
}

TEST(Safetensors, WhatIsWrittenIsRead) {
  const test::TempFolder folder;
  write_safetensors(folder / "w.safetensors", sample(), {{"model", "resnet \"20\"\n"}});
  SafetensorsFile first = SafetensorsFile::read(folder / "w.safetensors");
  const SafetensorsFile file = std::move(first);
  EXPECT_EQ(file.metadata(), (Metadata{{"format", "pt"}, {"model", "resnet \"20\"\n"}}));
  EXPECT_EQ(file.tensors().size(), 7u);
  for (const TensorEntry& written : sample()) {
    const TensorEntry& read = file.at(written.name);
    EXPECT_EQ(read.dtype, written.dtype);
    EXPECT_EQ(read.shape, written.shape);
    EXPECT_TRUE(
        std::equal(read.data.begin(), read.data.end(), written.data.begin(), written.data.end()));
  }
  EXPECT_EQ(file.find("layer"), nullptr);
  EXPECT_EQ(file.tensors().front().name, "bn1.num_batches_tracked");
}

TEST(Safetensors, BytesDependOnContentAloneAndEveryTensorIsAligned) {
  std::vector<TensorEntry> tensors = sample();
  const std::string bytes = joined(SafetensorsImage(tensors));
  std::reverse(tensors.begin(), tensors.end());
  EXPECT_EQ(joined(SafetensorsImage(tensors)), bytes);
  EXPECT_EQ(SafetensorsImage(tensors).bytes(), bytes.size());

  const SafetensorsFile file(bytes, "x.safetensors");
  const std::byte* base = nullptr;  // the I64 lies first, right after the header
  for (const TensorEntry& t : file.tensors()) base = t.dtype == DType::s64 ? t.data.data() : base;
  for (const TensorEntry& t : file.tensors()) {
    EXPECT_EQ((t.data.data() - base) % static_cast<int64_t>(bytes_per_element(t.dtype)), 0)
        << t.name;
  }
}

TEST(Safetensors, TheBytesAreThoseOfTheFormat) {
  const std::vector<float> one{1.0f};
  const std::vector<TensorEntry> tensors{entry("b", DType::f32, {1}, one)};
  const std::string header =
      R"({"__metadata__":{"format":"pt"},"b":{"data_offsets":[0,4],"dtype":"F32","shape":[1]}})";
  ASSERT_EQ(header.size(), 85u);
  EXPECT_EQ(joined(SafetensorsImage(tensors)),
            file_of(header + "   ", std::string_view("\0\0\x80\x3f", 4)));
}

TEST(Safetensors, AFileWithoutTensorsIsSound) {
  EXPECT_TRUE(SafetensorsFile(file_of("{}", ""), "x").tensors().empty());
  EXPECT_TRUE(SafetensorsFile(joined(SafetensorsImage({})), "x").tensors().empty());
}

TEST(Safetensors, TypesWeDoNotUseAreListedAndRefusedWhenAskedFor) {
  const SafetensorsFile file(file_of(R"({"a":{"dtype":"F64","shape":[1],"data_offsets":[0,8]},)"
                                     R"("b":{"dtype":"BOOL","shape":[2],"data_offsets":[8,10]}})",
                                     "0123456789"),
                             "x.safetensors");
  EXPECT_TRUE(file.tensors().empty());
  EXPECT_EQ(file.foreign().at("a"), "F64");
  try {
    file.find("b");
    FAIL();
  } catch (const Error& error) {
    EXPECT_STREQ(error.what(),
                 "x.safetensors: tensor \"b\" has dtype BOOL, which Convoy does not use; "
                 "try: save it as F32");
  }
}

TEST(Safetensors, AMissingTensorIsNamedWithItsNearest) {
  const SafetensorsFile file(joined(SafetensorsImage(sample())), "x.safetensors");
  try {
    file.at("layer1.0.conv2.weight");
    FAIL();
  } catch (const Error& error) {
    EXPECT_EQ(error.fault(), Fault::checkpoint);
    EXPECT_STREQ(error.what(),
                 "x.safetensors: no tensor \"layer1.0.conv2.weight\" (nearest: "
                 "\"layer1.0.conv1.weight\"); try: weights of the same model");
  }
}

TEST(Safetensors, BrokenHeadersAreRefused) {
  expect_refused("", "only 0 bytes");
  expect_refused("1234567", "only 7 bytes");
  expect_refused(file_of("{}", "", 3), "a header of 3 bytes in a file of 10");
  expect_refused(file_of("{}", "", INT64_MAX), "a header of");
  expect_refused(std::string(16, '\xff'), "a header of");
  expect_refused(file_of("", ""), "does not start with {");
  expect_refused(file_of(" {}", ""), "does not start with {");
  expect_refused(file_of("[]", ""), "does not start with {");
  expect_refused(file_of("{\"a\":", ""), "not JSON");
  expect_refused(file_of("{} x", ""), "not JSON");
  expect_refused(file_of(std::string("{}\0garbage", 10), ""), "zero byte");
  expect_refused(file_of("{\"\xff\":1}", ""), "not JSON");
  expect_refused(file_of(R"({"a":[[[[[[1]]]]]]})", ""), "nests too deeply");
  expect_refused(file_of("{\"a\":" + std::string(100000, '['), ""), "nests too deeply");
  expect_refused(file_of(R"({"__metadata__":1})", ""), "__metadata__ is not an object");
  expect_refused(file_of(R"({"__metadata__":{"n":1}})", ""), "__metadata__ \"n\" is not a string");
}

TEST(Safetensors, BrokenTensorsAreRefusedByName) {
  const auto one = [](const std::string& dtype, const std::string& shape,
                      const std::string& offsets) {
    return file_of("{\"t\\n\":{\"dtype\":" + dtype + ",\"shape\":" + shape +
                       ",\"data_offsets\":" + offsets + "}}",
                   "12345678");
  };
  EXPECT_EQ(refusal(one("\"F32\"", "[2]", "[0,8]")), "accepted");
  expect_refused(one("\"F33\"", "[2]", "[0,8]"), "tensor \"t\\n\": unknown dtype \"F33\"");
  expect_refused(one("1", "[2]", "[0,8]"), "dtype is missing or of the wrong kind");
  expect_refused(one("\"F32\"", "2", "[0,8]"), "shape is missing or of the wrong kind");
  expect_refused(one("\"F32\"", "[-2]", "[0,8]"), "no whole number");
  expect_refused(one("\"F32\"", "[2.0]", "[0,8]"), "no whole number");
  expect_refused(one("\"F32\"", "[18446744073709551615]", "[0,8]"), "no whole number");
  expect_refused(one("\"F32\"", "[4294967296,4294967296]", "[0,8]"), "too large");
  expect_refused(one("\"F32\"", "[4611686018427387904,4,0]", "[0,0]"), "too large");
  expect_refused(one("\"F32\"", "[1,1,1,1,1,1,2]", "[0,8]"), "rank 7");
  expect_refused(one("\"F32\"", "[2]", "[0]"), "data_offsets are not two");
  expect_refused(one("\"F32\"", "[2]", "[8,0]"), "outside");
  expect_refused(one("\"F32\"", "[3]", "[0,12]"), "outside of 8 bytes");
  expect_refused(one("\"F32\"", "[1]", "[0,8]"), "needs 4 bytes, data_offsets give 8");
  expect_refused(one("\"F32\"", "[1]", "[0,4]"), "4 bytes after the last tensor");
  expect_refused(one("\"F32\"", "[1]", "[4,8]"), "leaves a hole");
  expect_refused(file_of(R"({"a":3})", ""), "tensor \"a\": dtype is missing");
  expect_refused(file_of(R"({"a":{"dtype":"U8","shape":[4],"data_offsets":[0,4]},)"
                         R"("b":{"dtype":"U8","shape":[4],"data_offsets":[2,6]}})",
                         "123456"),
                 "tensor \"b\": overlaps");
  expect_refused(file_of(R"({"a":{"dtype":"U8","shape":[],"data_offsets":[0,1]},)"
                         R"("a":{"dtype":"U8","shape":[],"data_offsets":[1,2]}})",
                         "12"),
                 "\"a\" appears twice");
}

// Once in quadratic time: these took minutes.
TEST(Safetensors, AHeaderOfVeryManyTensorsIsReadInOnePass) {
  constexpr size_t many = 150'000;
  std::string header = "{";
  for (size_t i = 0; i < many; ++i) {
    header += fmt::format(R"({}"{:x}":{{"dtype":"U8","shape":[0],"data_offsets":[0,0]}})",
                          i ? "," : "", i);
  }
  const SafetensorsFile file(file_of(header + "}", ""), "x.safetensors");
  EXPECT_EQ(file.tensors().size(), many);
  EXPECT_NE(file.find("249ef"), nullptr);
}

TEST(Safetensors, MetadataMayNotTakeManyTimesTheFilesSize) {
  std::string header = R"({"__metadata__":{)";
  for (size_t i = 0; i < 70'000; ++i) header += fmt::format(R"({}"{:x}":"")", i ? "," : "", i);
  expect_refused(file_of(header + "}}", ""), "holds more than 65536 values");
}

TEST(Safetensors, AMissingFileIsOneLine) {
  try {
    SafetensorsFile::read("no/such.safetensors");
    FAIL();
  } catch (const Error& error) {
    EXPECT_EQ(error.fault(), Fault::checkpoint);
    EXPECT_STREQ(
        error.what(),
        "cannot read no/such.safetensors: there is no folder no; try: make it, or another path");
  }
}

TEST(Safetensors, DamagedFilesGiveAnErrorOrASoundParseNeverACrash) {
  const std::string sound = joined(SafetensorsImage(sample(), {{"a", "b"}}));
  Random random(random_key(1, Purpose::generated));
  int accepted = 0;
  for (int round = 0; round < 6000; ++round) {
    std::string bytes = sound;
    const int changes = 1 + static_cast<int>(random.below(4));
    for (int i = 0; i < changes && !bytes.empty(); ++i) {
      const auto size = static_cast<uint32_t>(bytes.size());
      const uint32_t place = random.below(size);
      switch (random.below(6)) {
        case 0:
          bytes[place] = static_cast<char>(random.bits());
          break;
        case 1:
          bytes[place] ^= static_cast<char>(1 << random.below(8));
          break;
        case 2:
          bytes.resize(place);
          break;
        case 3:
          bytes.erase(place, 1 + random.below(16));
          break;
        case 4:
          bytes.insert(place, std::string(1 + random.below(16), "0,]}[\"9"[random.below(7)]));
          break;
        default:
          bytes += bytes.substr(place, random.below(64));
          break;
      }
    }
    try {
      const SafetensorsFile file(bytes, "fuzz");
      ++accepted;
      unsigned sum = 0;  // touch every byte: the sanitizer checks the spans
      for (const TensorEntry& t : file.tensors()) {
        ASSERT_EQ(t.data.size(), static_cast<size_t>(t.shape.count()) * bytes_per_element(t.dtype));
        for (const std::byte b : t.data) sum += static_cast<unsigned>(b);
      }
      ASSERT_LT(sum, 1u << 30);
    } catch (const Error& error) {
      ASSERT_EQ(error.fault(), Fault::checkpoint);
      ASSERT_EQ(std::string_view(error.what()).find('\n'), std::string_view::npos);
    }
  }
  EXPECT_GT(accepted, 100);   // changes in the data go unseen
  EXPECT_LT(accepted, 3000);  // changes in the header do not
}

TEST(Safetensors, TheWeightsHashIgnoresOrderAndBatchCounters) {
  const std::vector<float> a{1, 2}, b{3};
  const std::vector<TensorEntry> one{entry("a", DType::f32, {2}, a),
                                     entry("b", DType::f32, {1}, b)};
  const std::vector<TensorEntry> two{entry("b", DType::f32, {1}, b),
                                     entry("bn.num_batches_tracked", DType::s64, {}, count),
                                     entry("a", DType::f32, {2}, a)};
  EXPECT_EQ(weights_hash(one), weights_hash(two));
  const std::vector<float> both{1, 2, 3};
  EXPECT_EQ(weights_hash(one),
            hash_hex(hash_bytes({reinterpret_cast<const char*>(both.data()), 12})));
}

}  // namespace
}  // namespace convoy
