#include "base/proto_writer.h"

#include <gtest/gtest.h>

#include <vector>

namespace convoy {
namespace {

using namespace std::string_literals;

std::string written(const std::function<void(ProtoWriter&)>& body) {
  std::string out;
  ProtoWriter writer(out);
  body(writer);
  return out;
}

TEST(ProtoWriter, WritesTheBytesOfTheFormat) {
  EXPECT_EQ(written([](auto& w) { w.integer(1, 150); }), "\x08\x96\x01"s);
  EXPECT_EQ(written([](auto& w) { w.integer(2, -1); }),
            "\x10\xff\xff\xff\xff\xff\xff\xff\xff\xff\x01"s);
  EXPECT_EQ(written([](auto& w) { w.flag(16, true); }), "\x80\x01\x01"s);
  EXPECT_EQ(written([](auto& w) { w.bytes(2, "testing"); }), "\x12\x07testing"s);
  EXPECT_EQ(written([](auto& w) { w.small_number(5, 1.0f); }), "\x2d\x00\x00\x80\x3f"s);
  EXPECT_EQ(written([](auto& w) { w.number(1, 1.0); }), "\x09\0\0\0\0\0\0\xf0\x3f"s);
  EXPECT_EQ(written([](auto& w) {
              w.integers(4, std::vector<int64_t>{3, 270, 86942});
            }),
            "\x22\x06\x03\x8e\x02\x9e\xa7\x05"s);
  EXPECT_EQ(written([](auto& w) { w.numbers(4, {}); }), "");
  EXPECT_EQ(written([](auto& w) { w.message(3, [](auto& in) { in.integer(1, 150); }); }),
            "\x1a\x03\x08\x96\x01"s);
  EXPECT_EQ(written([](auto& w) { w.message(3, [](auto&) {}); }), "\x1a\x00"s);
}

// Lengths of one, two and three bytes, one message inside another.
TEST(ProtoWriter, WhatItWritesIsRead) {
  for (const size_t length : {size_t{0}, size_t{127}, size_t{128}, size_t{20000}}) {
    const std::string text(length, 'x');
    const std::string all = written([&](auto& w) {
      w.message(7, [&](auto& outer) {
        outer.message(1, [&](auto& inner) { inner.bytes(9, text); });
        outer.integer(2, 5);
      });
      w.integer(8, 6);
    });
    std::string seen;
    for_each_field(all, "here", "the message", [&](const ProtoField& field) {
      seen += std::to_string(field.number) + " ";
      if (field.number != 7) return;
      for_each_field(field.bytes, "here", "the message", [&](const ProtoField& outer) {
        seen += std::to_string(outer.number) + " ";
        if (outer.number != 1) return;
        for_each_field(outer.bytes, "here", "the message", [&](const ProtoField& inner) {
          EXPECT_EQ(inner.number, 9);
          EXPECT_EQ(inner.bytes, text);
        });
      });
    });
    EXPECT_EQ(seen, "7 1 2 8 ");
  }
}

}  // namespace
}  // namespace convoy
