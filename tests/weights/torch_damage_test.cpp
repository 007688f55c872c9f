// Torch files that are wrong on purpose: an error of one line or a sound result, never a crash.

#include <gtest/gtest.h>

#include <cstring>

#include "support/fixture.h"
#include "support/raises.h"
#include "support/weight_writers.h"
#include "weights/torch/torch_file.h"

namespace convoy::test {
namespace {

using Parts = std::vector<TorchPart>;

WeightData read_bytes(const std::string& bytes) {
  const auto shared = std::make_shared<const std::string>(bytes);
  return bytes.starts_with("PK") ? read_torch_zip(shared, "x.pt")
                                 : read_torch_legacy(shared, "x.pt");
}

std::string tensor(int32_t count, int32_t offset, const std::vector<int32_t>& size,
                   const std::vector<int32_t>& stride, const char* type = "FloatStorage") {
  return pickled_tensor(type, "0", count, offset, size, stride);
}

void expect_refused(const std::string& bytes, std::string_view words) {
  expect_raises(Fault::checkpoint, {"x.pt", words}, [&] { read_bytes(bytes); });
}

TEST(TorchDamage, TheHandWrittenFilesAreSound) {
  const std::string pickle = pickled_dict({{"a", tensor(6, 1, {2, 2}, {1, 3})}});
  const Parts parts{{"0", floats({0, 1, 2, 3, 4, 5}), 6}};
  for (const std::string& bytes : {torch_zip_of(pickle, parts), torch_legacy_of(pickle, parts)}) {
    const WeightData data = read_bytes(bytes);
    ASSERT_EQ(data.tensors.size(), 1u);
    EXPECT_EQ(as_text(data.tensors[0].data), floats({1, 4, 2, 5}));
  }
}

TEST(TorchDamage, TheStrideOfASingleElementMeansNothing) {
  const std::string pickle = pickled_dict({{"a", tensor(2, 0, {1, 2, 1}, {INT32_MAX, 1, 0})},
                                           {"b", tensor(2, 1, {1}, {INT32_MAX})},
                                           {"c", tensor(2, 2, {0}, {1})}});
  WeightData data = read_bytes(torch_legacy_of(pickle, {{"0", floats({1, 2}), 2}}));
  ASSERT_EQ(data.tensors.size(), 3u);
  EXPECT_EQ(as_text(data.tensors[0].data), floats({1, 2}));
  EXPECT_EQ(as_text(data.tensors[1].data), floats({2}));
  EXPECT_EQ(data.tensors[2].data.size(), 0u);
}

TEST(TorchDamage, ViewsOutsideOfTheirStorageAreRefused) {
  const Parts parts{{"0", floats({0, 1, 2, 3, 4, 5}), 6}};
  const auto both = [&](const std::string& piece, std::string_view words) {
    const std::string pickle = pickled_dict({{"a", piece}});
    expect_refused(torch_zip_of(pickle, parts), words);
    expect_refused(torch_legacy_of(pickle, parts), words);
  };
  constexpr int32_t most = INT32_MAX;
  both(tensor(6, 0, {7}, {1}), "outside of its storage");
  both(tensor(6, 6, {1}, {1}), "outside of its storage");
  both(tensor(6, 0, {2, 2}, {5, 1}), "outside of its storage");
  both(tensor(6, 0, {most, most}, {most, most}), "impossible shape");
  both(tensor(6, 0, {2, 1 << 20}, {most, most}), "outside of its storage");
  both(tensor(6, most, {1}, {1}), "outside of its storage");
  both(tensor(6, -1, {1}, {1}), "outside of its storage");
  both(tensor(6, 5, {2}, {-1}), "outside of its storage");
  both(tensor(6, 0, {-1}, {1}), "impossible shape");
  both(tensor(6, 0, {6}, {1}, "DoubleStorage"), "");
  both(tensor(7, 0, {1}, {1}), "storage \"0\" of 7 elements");
  both(tensor(-6, 0, {1}, {1}), "other parts");
  both(tensor(6, 0, {1, 1}, {1}), "2 dimensions and 1 strides");
  both(tensor(6, 0, {1, 1, 1, 1, 1, 1, 1}, {1, 1, 1, 1, 1, 1, 1}), "7 dimensions");
  // A view may repeat elements, but not without end.
  both(tensor(6, 0, {1 << 20}, {0}), "times the file's size");
  both(tensor(6, 0, {1 << 30, 1 << 10}, {0, 0}), "times the file's size");
  expect_refused(torch_zip_of(pickled_dict({{"a", "K\x01"}}), {}), "holds no tensors");
}

TEST(TorchDamage, StoragesThatAreNotThereAreRefused) {
  const std::string pickle = pickled_dict({{"a", tensor(1, 0, {1}, {1})}});
  expect_refused(torch_zip_of(pickle, {}), "storage \"0\" is not in it");
  expect_refused(torch_legacy_of(pickle, {}), "storage \"0\" of 1");
  const TorchPart sound{"0", floats({1}), 1};
  expect_refused(torch_legacy_of(pickle, {sound, {"1", floats({1}), 1}}), "never used");
  expect_refused(torch_legacy_of(pickle, {sound, sound}), "comes twice");
  expect_refused(torch_legacy_of(pickle, {{"0", floats({1}), uint64_t{1} << 62}}), "too large");
  expect_refused(torch_legacy_of(pickle, {{"0", floats({1}), 2}}), "ends too early");
  expect_refused(torch_legacy_of(pickle, {sound}) + "x", "1 bytes follow the last");
  const std::string two =
      pickled_dict({{"a", tensor(1, 0, {1}, {1})}, {"b", tensor(1, 0, {1}, {1}, "IntStorage")}});
  expect_refused(torch_legacy_of(two, {sound}), "two types");
  expect_refused(torch_legacy_of(pickled_dict({{"a", "ctorch\nFloatStorage\n"}}), {}),
                 "no tensors");
  expect_refused(zip_of({{"net/data.pkl", pickle}, {"net/byteorder", "big"}}), "big-endian");
  expect_refused(zip_of({{"net/data.pkl", pickle}, {"net/constants.pkl", ""}}), "TorchScript");
}

TEST(TorchDamage, TheDictionaryThatHoldsTheWeightsIsChosenTheSameWayAlways) {
  const Parts parts{{"0", floats({1}), 1}};
  const std::string t = tensor(1, 0, {1}, {1});
  const auto inner = [&](const char* name) { return "}" + pickled_text(name) + t + "s"; };
  const auto read = [&](const std::vector<std::pair<std::string, std::string>>& items) {
    WeightData data = read_bytes(torch_legacy_of(pickled_dict(items), parts));
    data.finish();
    std::string names;
    for (const TensorEntry& e : data.tensors) names += e.name + " ";
    return names + "| " + data.note;
  };
  EXPECT_EQ(read({{"a", t}, {"b", inner("c")}}), "a b.c | ");
  EXPECT_EQ(read({{"state_dict_ema", inner("x")}, {"state_dict", inner("y")}, {"best", t}}),
            "y | taken from its state_dict (it has state_dict_ema too)");
  EXPECT_EQ(read({{"optimizer", inner("x")}, {"model", inner("y")}, {"epoch", "K\x01"}}),
            "y | taken from its model");
  EXPECT_EQ(read({{"net", "}" + pickled_text("state_dict") + inner("z") + "s"}}),
            "z | taken from its net.state_dict");
  EXPECT_EQ(read({{"model", "K\x01"}, {"a", t}, {"optimizer", inner("x")}}), "a | ");
  EXPECT_EQ(read({{"model", t}}), "model | ");
  expect_raises(Fault::checkpoint, {"appears twice"}, [&] {
    read({{"a.b", t}, {"a", inner("b")}});
  });
}

TEST(TorchDamage, ALongNameBeforeManyOthersIsRefused) {
  // {"kkk…": {"0": t, "1": t, …}}, all one tensor: every name would begin with the long one.
  std::string inner = "}(";
  for (int i = 0; i < 2000; ++i) {
    inner += pickled_text(std::to_string(i)) + (i ? "h\x63" : tensor(1, 0, {1}, {1}) + "q\x63");
  }
  const std::string pickle = pickled_dict({{std::string(100'000, 'k'), inner + "u"}});
  const Parts parts{{"0", floats({1}), 1}};
  expect_refused(torch_zip_of(pickle, parts), "more than a file of its size can hold");
  expect_refused(torch_legacy_of(pickle, parts), "more than a file of its size can hold");
}

TEST(TorchDamage, EveryTruncationIsRefused) {
  for (const char* name : {"weights/torch_zip.pt", "weights/torch_legacy.th"}) {
    const std::string bytes = read_file(fixture_path(name), Fault::bug);
    EXPECT_NO_THROW(read_bytes(bytes));
    for (size_t length = 16; length < bytes.size(); ++length) {
      try {
        read_bytes(bytes.substr(0, length));
        ADD_FAILURE() << name << " accepted at " << length;
      } catch (const Error& error) {
        EXPECT_EQ(error.fault(), Fault::checkpoint);
      }
    }
  }
}

TEST(TorchDamage, EveryFlippedByteIsSeenOrHarmless) {
  const auto contents = [](const std::string& bytes) {
    WeightData data = read_bytes(bytes);
    data.finish();
    std::string all;
    for (const TensorEntry& t : data.tensors) {
      all += t.name + to_string(t.shape) + std::string(as_text(t.data));
    }
    return all;
  };
  for (const char* name : {"weights/torch_zip.pt", "weights/torch_legacy.th"}) {
    std::string bytes = read_file(fixture_path(name), Fault::bug);
    const std::string truth = contents(bytes);
    int other = 0;
    for (size_t i = 0; i < bytes.size(); ++i) {
      for (const int flip : {1, 0x80, 0xff}) {
        bytes[i] = static_cast<char>(bytes[i] ^ flip);
        try {
          other += contents(bytes) != truth;
        } catch (const Error& error) {
          EXPECT_EQ(error.fault(), Fault::checkpoint);
        }
        bytes[i] = static_cast<char>(bytes[i] ^ flip);
      }
    }
    // The legacy form has no checksums: its numbers and names may come out otherwise.
    if (bytes.starts_with("PK")) {
      EXPECT_EQ(other, 0);
    }
  }
}

}  // namespace
}  // namespace convoy::test
