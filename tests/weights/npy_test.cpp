// .npy files as numpy 1.26 writes them, byte for byte, and what is wrong with others.

#include "weights/npy.h"

#include <gtest/gtest.h>

#include <cstring>

#include "support/raises.h"

namespace convoy {
namespace {

using test::expect_raises;

// Padded to 64 bytes with blanks and a newline, as numpy does.
std::string npy(const std::string& dictionary, const std::string& data, int major = 1) {
  const size_t length_bytes = major == 1 ? 2 : 4;
  std::string header = dictionary;
  header.resize((8 + length_bytes + header.size() + 1 + 63) / 64 * 64 - 8 - length_bytes - 1, ' ');
  header += '\n';
  std::string file = std::string("\x93NUMPY") + static_cast<char>(major) + '\0';
  const auto length = static_cast<uint32_t>(header.size());
  file.append(reinterpret_cast<const char*>(&length), length_bytes);
  return file + header + data;
}

NpyArray parse(const std::string& bytes) { return parse_npy(bytes, "a.npy", Fault::data); }

TEST(Npy, ReadsFloatsAndBytesOfEveryVersion) {
  const std::vector<float> values{1, -2.5f, 3};
  std::string data(12, '\0');
  std::memcpy(data.data(), values.data(), 12);
  for (const int major : {1, 2, 3}) {
    const NpyArray floats =
        parse(npy("{'descr': '<f4', 'fortran_order': False, 'shape': (3, 1), }", data, major));
    EXPECT_EQ(floats.dtype, DType::f32);
    EXPECT_EQ(floats.shape, (Shape{3, 1}));
    EXPECT_EQ(floats.bytes, data);
  }
  const NpyArray bytes =
      parse(npy("{'shape': (2,), \"descr\": \"|u1\", 'fortran_order': False}", "ab"));
  EXPECT_EQ(bytes.dtype, DType::u8);
  EXPECT_EQ(bytes.shape, Shape{2});
  EXPECT_EQ(bytes.bytes, "ab");
  EXPECT_EQ(parse(npy("{'descr': '|u1', 'fortran_order': False, 'shape': (), }", "x")).shape,
            Shape{});
  EXPECT_EQ(parse(npy("{'descr': '|u1', 'fortran_order': False, 'shape': (0, 9), }", "")).bytes,
            "");
}

TEST(Npy, WhatIsNotSoundIsRefusedInOneLine) {
  const auto refused = [](const std::string& bytes, std::string_view word) {
    expect_raises(Fault::data, {"a.npy", word}, [&] { parse(bytes); });
  };
  const auto with = [](const std::string& descr, const std::string& order,
                       const std::string& shape) {
    return npy("{'descr': " + descr + ", 'fortran_order': " + order + ", 'shape': " + shape + ", }",
               "abcd");
  };
  refused("", "begin");
  refused("PK\3\4 something else entirely", "begin");
  refused(with("'|u1'", "False", "(4,)").substr(0, 7), "begin");
  refused(with("'|u1'", "False", "(4,)").substr(0, 9), "ends inside");
  refused(with("'|u1'", "False", "(4,)").substr(0, 40), "ends inside");
  refused(npy("{}", "", 4), "version 4");
  refused(with("'|u1'", "False", "(5,)"), "5 bytes, there are 4");
  refused(with("'|u1'", "False", "(3,)"), "3 bytes, there are 4");
  refused(with("'<f8'", "False", "(4,)"), "<f8");
  refused(with("'>f4'", "False", "(1,)"), ">f4");
  refused(with("'|O'", "False", "(1,)"), "|O");
  refused(with("[('a', '<f4')]", "False", "(1,)"), "header");
  refused(with("'|u1'", "True", "(4,)"), "Fortran");
  refused(with("'|u1'", "0", "(4,)"), "fortran_order");
  refused(with("'|u1'", "False", "(-4,)"), "whole number");
  refused(with("'|u1'", "False", "(4.0,)"), "lacks a )");
  refused(with("'|u1'", "False", "4"), "lacks a (");
  refused(with("'|u1'", "False", "(4"), "shape");
  refused(with("'|u1'", "False", "(1, 1, 1, 1, 1, 2, 2)"), "dimensions");
  refused(with("'|u1'", "False", "(4294967296, 4294967296, 4294967296)"), "too large");
  refused(with("'|u1'", "False", "(99999999999999999999,)"), "whole number");
  refused(with("'|u1", "False", "(4,)"), "header");
  refused(npy("{'descr': '|u1', 'fortran_order': False, }", "a"), "lacks one");
  refused(npy("{'descr': '|u1', 'descr': '|u1', }", "a"), "twice");
  refused(npy("{'descr': '|u1', 'fortran_order': False, 'shape': (), 'x': 1}", "a"), "\"x\"");
  refused(npy("{'descr': '|u1', 'fortran_order': False, 'shape': ()} + 1", "a"), "after");
  refused(npy("open('x')", "a"), "lacks a {");
  // Every cut, and every byte of the header turned: an error or an array, never a crash.
  const std::string good = with("'|u1'", "False", "(4,)");
  for (size_t i = 0; i < good.size(); ++i) {
    EXPECT_THROW(parse(good.substr(0, i)), Error);
    for (const int change : {1, 0x80, 0xff}) {
      std::string turned = good;
      turned[i] = static_cast<char>(turned[i] ^ change);
      try {
        parse(turned);
      } catch (const Error&) {
      }
    }
  }
}

}  // namespace
}  // namespace convoy
