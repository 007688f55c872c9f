#include "records/example.h"

#include <gtest/gtest.h>

#include "records/small_features.h"
#include "records/tfrecord.h"
#include "support/raises.h"
#include "support/shared_data.h"
#include "support/weight_writers.h"

namespace convoy::test {
namespace {

using Texts = std::vector<std::string>;
using Views = std::vector<std::string_view>;
using Ints = std::vector<int64_t>;
using Floats = std::vector<float>;

// An Example of one feature "f", whose message is written by hand.
std::string one(const std::string& feature) {
  return proto_field(1, proto_field(1, proto_field(1, "f") + proto_field(2, feature)));
}

TEST(Example, WhatIsEncodedIsRead) {
  const std::string record = encode_example({{"t", Texts{"x", "", std::string("\0y", 2)}},
                                             {"i", Ints{1, -1, INT64_MAX, INT64_MIN, 300}},
                                             {"f", Floats{0.5f, -2}},
                                             {"none", Ints{}}});
  const Example example(record, "here");
  EXPECT_EQ(example.names(), (Views{"f", "i", "none", "t"}));
  EXPECT_EQ(example.bytes_list("t"), (Views{"x", "", std::string_view("\0y", 2)}));
  EXPECT_EQ(example.int_list("i"), (Ints{1, -1, INT64_MAX, INT64_MIN, 300}));
  EXPECT_EQ(example.float_list("f"), (Floats{0.5f, -2}));
  EXPECT_TRUE(example.int_list("none").empty());
  EXPECT_TRUE(example.float_list("none").empty());  // an empty list has no kind
  EXPECT_FALSE(example.has("q"));
  EXPECT_TRUE(example.bytes_list("q").empty());
  EXPECT_EQ(example.bytes_or("q", "z"), "z");
  EXPECT_EQ(example.bytes_or("t", "z"), "x");
}

TEST(Example, TheBytesAreThoseOfTensorFlow) {
  // SerializeToString() of one feature, label = [7].
  EXPECT_EQ(encode_example({{"label", Ints{7}}}),
            std::string("\x0a\x10\x0a\x0e\x0a\x05label\x12\x05\x1a\x03\x0a\x01\x07"));
}

TEST(Example, ListsMayBePackedOrNotOrInParts) {
  const std::string unpacked =
      one(proto_field(3, "\x08\x05\x08\xac\x02") + proto_field(3, proto_field(1, "\x07\x09")));
  EXPECT_EQ(Example(unpacked, "here").int_list("f"), (Ints{5, 300, 7, 9}));
  const std::string number = "\x0d" + bytes_of(1.5f);
  EXPECT_EQ(Example(one(proto_field(2, number + number)), "here").float_list("f"),
            (Floats{1.5f, 1.5f}));
  // Of two kinds the last counts; of two features of a name too; unknown fields are passed over.
  const std::string both = one(proto_field(2, number) + proto_field(3, "\x08\x05"));
  EXPECT_EQ(Example(both, "here").int_list("f"), (Ints{5}));
  EXPECT_EQ(Example(both + one(proto_field(3, "\x08\x06")), "here").integer("f"), 6);
  EXPECT_EQ(Example("\x10\x05" + both +
                        "\x4d"
                        "abcd",
                    "here")
                .integer("f"),
            5);
}

TEST(Example, AskingForWhatIsNotThereNamesTheFeature) {
  const std::string record = encode_example({{"t", Texts{"x", "y"}}, {"i", Ints{1}}});
  const Example example(record, "file at byte 7");
  for (const auto& ask : std::vector<std::function<void()>>{[&] { example.bytes("q"); },
                                                            [&] { example.integer("q"); }}) {
    expect_raises(Fault::data, {"file at byte 7", "feature q", "0 values", "; try: "}, ask);
  }
  expect_raises(Fault::data, {"feature t", "2 values"}, [&] { example.bytes("t"); });
  expect_raises(Fault::data, {"feature i", "whole numbers instead of bytes"},
                [&] { example.bytes("i"); });
  expect_raises(Fault::data, {"feature t", "bytes instead of floats"},
                [&] { example.float_list("t"); });
}

TEST(Example, DamageIsFound) {
  for (const std::string& wrong :
       {std::string("\x0a"),
        std::string("\x0a\x05"
                    "abc"),
        std::string("\x07"), std::string("\x00\x01", 2), std::string(12, '\xff'),
        proto_field(1, "\x0a\x7f"),
        proto_field(1, proto_field(1, proto_field(1, "f") + "\x12\x09"))}) {
    expect_raises(Fault::data, {"here", "damaged"}, [&] { Example(wrong, "here"); });
  }
  const auto refuses = [](const std::string& feature, auto&& ask) {
    const std::string record = one(feature);
    expect_raises(Fault::data, {"here"}, [&] { ask(Example(record, "here")); });
  };
  refuses(proto_field(3, proto_field(1, "\x80")), [](const Example& e) { e.int_list("f"); });
  refuses(proto_field(3,
                      "\x0d"
                      "abcd"),
          [](const Example& e) { e.int_list("f"); });
  refuses(proto_field(2, proto_field(1, "abc")), [](const Example& e) { e.float_list("f"); });
  refuses(proto_field(2, "\x08\x01"), [](const Example& e) { e.float_list("f"); });
  refuses(proto_field(1, "\x08\x01"), [](const Example& e) { e.bytes_list("f"); });
  refuses("\x0a\x7f", [](const Example& e) { e.bytes_list("f"); });
}

TEST(SmallFeatures, LeavesOutThePictureAndReadsLittle) {
  const std::string record = encode_example({{"a", Ints{3}},
                                             {"image", Texts{std::string(200000, 'p')}},
                                             {"label", Ints{77}},
                                             {"text", Texts{std::string(3000, 't')}}});
  size_t fetched = 0;
  const auto fetch = [&](uint64_t offset, size_t bytes) {
    EXPECT_LE(offset + bytes, record.size());
    fetched += bytes;
    return record.substr(static_cast<size_t>(offset), bytes);
  };
  const std::string small = small_features(record.size(), "here", fetch);
  const Example example(small, "here");
  EXPECT_EQ(example.names(), (Views{"a", "label", "text"}));
  EXPECT_EQ(example.integer("label"), 77);
  EXPECT_EQ(example.bytes("text"), std::string(3000, 't'));
  EXPECT_LT(fetched, 4u * 4096u);
  for (size_t length = 0; length < 300; ++length) {
    const std::string cut = record.substr(0, length);
    const auto look = [&] {
      return small_features(length, "here", [&](uint64_t offset, size_t bytes) {
        return cut.substr(static_cast<size_t>(offset), bytes);
      });
    };
    if (length == 0) {
      EXPECT_EQ(look(), std::string("\x0a\0", 2));
    } else {
      expect_raises(Fault::data, {"here"}, look);
    }
  }
}

TEST(Example, RecordsOfTensorFlowAreRead) {
  const auto file = shared_data("fixtures/tfrecord/tfmodels_pets_examples.record");
  if (!file) GTEST_SKIP() << "no shared data";
  const TfRecordFile pets(*file);
  for (const RecordPlace& place : pets.scan()) {
    std::string record;
    pets.read(place, record);
    const Example example(record, pets.origin(place));
    EXPECT_TRUE(example.bytes("image/encoded").starts_with("\xff\xd8"));
    EXPECT_EQ(example.bytes("image/format"), "jpeg");
    EXPECT_GT(example.integer("image/height"), 100);
    const std::vector<float> left = example.float_list("image/object/bbox/xmin");
    const std::vector<float> right = example.float_list("image/object/bbox/xmax");
    ASSERT_EQ(left.size(), right.size());
    ASSERT_FALSE(left.empty());
    for (size_t i = 0; i < left.size(); ++i) EXPECT_LT(left[i], right[i]);
  }
}

}  // namespace
}  // namespace convoy::test
