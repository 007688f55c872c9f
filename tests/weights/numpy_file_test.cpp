#include "weights/numpy_file.h"

#include <gtest/gtest.h>

#include "support/fixture.h"
#include "support/raises.h"
#include "support/weight_writers.h"

namespace convoy::test {
namespace {

WeightData read_array(const std::string& bytes) {
  return read_npy(std::make_shared<const std::string>(bytes), "x.npy", "x");
}

void expect_refused(const std::string& bytes, std::string_view words) {
  expect_raises(Fault::checkpoint, {"x.npy", words}, [&] { read_array(bytes); });
}

TEST(NumpyFile, OrdersAndTypesAreRead) {
  const std::string six = floats({0, 1, 2, 3, 4, 5});
  EXPECT_EQ(as_text(read_array(npy_of("<f4", "(2, 3)", six)).tensors[0].data), six);
  EXPECT_EQ(as_text(read_array(npy_of("<f4", "(2, 3)", six, true)).tensors[0].data),
            floats({0, 2, 4, 1, 3, 5}));
  EXPECT_EQ(read_array(npy_of("<f4", "(6,)", six)).tensors[0].shape, (Shape{6}));
  EXPECT_EQ(read_array(npy_of("<f4", "(6L,)", six)).tensors[0].shape, (Shape{6}));
  EXPECT_EQ(read_array(npy_of("<f4", "()", "abcd")).tensors[0].shape, Shape{});
  EXPECT_EQ(read_array(npy_of("<i8", "(3,)", six)).tensors[0].dtype, DType::s64);
  EXPECT_EQ(read_array(npy_of("|u1", "(24,)", six)).tensors[0].dtype, DType::u8);
  EXPECT_EQ(read_array(npy_of("<i2", "(12,)", six)).foreign.at("x"), "int16");
  EXPECT_EQ(read_array(npy_of("<U3", "(2,)", six)).foreign.at("x"), "\"<U3\"");
}

TEST(NumpyFile, DamageIsRefused) {
  const std::string four = floats({0, 1, 2, 3});
  expect_refused(npy_of("|O", "(2,)", four), "Python objects");
  expect_refused(npy_of(">f4", "(4,)", four), "big-endian");
  expect_refused(npy_of("f4", "(4,)", four), "type is unknown");
  expect_refused(npy_of("<f4", "(3,)", four), "has 16 bytes");
  expect_refused(npy_of("<f4", "(5,)", four), "has 16 bytes");
  expect_refused(npy_of("<f4", "(-4,)", four), "shape");
  expect_refused(npy_of("<f4", "(4", four), "shape");
  expect_refused(npy_of("<f4", "(2 2)", four), "shape");
  expect_refused(npy_of("<f4", "4", four), "not what numpy writes");
  expect_refused(npy_of("<f4", "(99999999999999999999,)", four), "shape");
  expect_refused(npy_of("<f4", "(4611686018427387904, 4)", four), "impossible shape");
  expect_refused(npy_of("<f4", "(1, 1, 1, 1, 1, 1, 4)", four), "too many dimensions");
  expect_refused(npy_of("<f4', 'more': '", "(4,)", four), "odd key");
  expect_refused(npy_of("<f4', 'descr': '<f4", "(4,)", four), "odd key");
  expect_refused("\x93NUMPY\x01", "ends too early");
  expect_refused("\x93NUMPX" + npy_of("<f4", "(4,)", four).substr(6), "begin as .npy");
  std::string version = npy_of("<f4", "(4,)", four);
  version[6] = 9;
  expect_refused(version, "version");
  const std::string fields =
      std::string("\x93NUMPY\x01\x00", 8) + bytes_of<uint16_t>(20) + "{'descr': [('a','b')";
  expect_refused(fields, "several fields");
}

TEST(NumpyFile, EveryTruncationIsRefusedAndEveryFlippedByteIsSeenOrHarmless) {
  for (const char* name : {"weights/plain.npz", "weights/compressed.npz"}) {
    std::string bytes = read_file(fixture_path(name), Fault::bug);
    const auto contents = [](const std::string& from) {
      WeightData data = read_npz(std::make_shared<const std::string>(from), "x.npz");
      data.finish();
      std::string all;
      for (const TensorEntry& t : data.tensors) {
        all += t.name + to_string(t.shape) + std::string(as_text(t.data));
      }
      return all;
    };
    const std::string truth = contents(bytes);
    for (size_t length = 0; length < bytes.size(); ++length) {
      EXPECT_THROW(contents(bytes.substr(0, length)), Error) << length;
    }
    for (size_t i = 0; i < bytes.size(); ++i) {
      bytes[i] = static_cast<char>(bytes[i] ^ 0x41);
      try {
        EXPECT_EQ(contents(bytes), truth) << i;
      } catch (const Error& error) {
        EXPECT_EQ(error.fault(), Fault::checkpoint);
      }
      bytes[i] = static_cast<char>(bytes[i] ^ 0x41);
    }
  }
}

}  // namespace
}  // namespace convoy::test
