#include "weights/tensorflow/tf_bundle.h"

#include <gtest/gtest.h>

#include <cstring>

#include "base/crc32c.h"
#include "support/allocations.h"
#include "support/raises.h"
#include "support/weight_writers.h"
#include "weights/tensorflow/sorted_table.h"

namespace convoy::test {
namespace {

const std::vector<TfPart> sample{
    {"net/conv2d/kernel", 1, {1, 1, 2, 2}, floats({1, 2, 3, 4})},
    {"net/conv2d/bias", 1, {2}, floats({5, 6})},
    {"net/conv2d_1/kernel", 2, {1}, bytes_of(0.1)},
    {"global_step", 9, {}, bytes_of<int64_t>(46900)},
    {"flag", 10, {1}, "\x01"},
    {"half", 19, {2}, bytes_of<uint16_t>(0x3c00) + bytes_of<uint16_t>(0xc000)},
};

WeightData read_files(const TfFiles& files) {
  return read_tf_bundle(files.index, "net.ckpt", [&](int i, int n) {
    EXPECT_EQ(i, 0);
    EXPECT_EQ(n, 1);
    return std::make_shared<const std::string>(files.data);
  });
}

void expect_refused(const TfFiles& files, std::string_view words) {
  expect_raises(Fault::checkpoint, {"net.ckpt", words}, [&] { read_files(files); });
}

// The checkpoint of one tensor whose entry is written by hand.
TfFiles one(const std::string& entry, const std::string& data,
            const std::string& header = "\x08\x01") {
  return {table_of({{"", header}, {"w", entry}}, false), data};
}

std::string crc_field(const std::string& data) {
  return "\x35" + bytes_of(masked_crc32c(crc32c(data)));
}

TEST(TfBundle, TensorsOfAllTypesAreRead) {
  for (const bool snappy : {false, true}) {
    WeightData data = read_files(tf_bundle_of(sample, snappy));
    data.finish();
    ASSERT_EQ(data.tensors.size(), 5u);
    EXPECT_EQ(data.foreign, (std::map<std::string, std::string>{{"flag", "bool"}}));
    EXPECT_EQ(data.tensors[0].name, "global_step");
    EXPECT_EQ(data.tensors[0].dtype, DType::s64);
    EXPECT_EQ(as_text(data.tensors[1].data), floats({1, -2}));
    EXPECT_EQ(data.tensors[3].name, "net/conv2d/kernel");
    EXPECT_EQ(data.tensors[3].shape, (Shape{1, 1, 2, 2}));
    EXPECT_EQ(as_text(data.tensors[3].data), floats({1, 2, 3, 4}));
    EXPECT_EQ(as_text(data.tensors[4].data), floats({0.1f}));
  }
}

TEST(TfBundle, TensorsOfStringsAreChecked) {
  std::string lengths = bytes_of<uint32_t>(2) + bytes_of<uint32_t>(3);
  const uint32_t crc = masked_crc32c(crc32c(lengths));
  const std::string all = "\x02\x03" + bytes_of(crc) + "abcde";
  const uint32_t whole = masked_crc32c(crc32c("abcde", crc32c(bytes_of(crc), crc32c(lengths))));
  const auto files = [&](const std::string& data) {
    return one(
        "\x08\x07\x12\x04\x12\x02\x08\x02\x28" + varint(data.size()) + "\x35" + bytes_of(whole),
        data);
  };
  EXPECT_EQ(read_files(files(all)).foreign.at("w"), "string");
  std::string wrong = all;
  wrong.back() = 'x';
  expect_refused(files(wrong), "checksum");
  wrong = all;
  wrong[0] = 3;
  expect_refused(files(wrong), "checksum");
  expect_refused(files(all + "x"), "follow the last string");
  expect_refused(files("\x02"), "ends too early");
}

TEST(TfBundle, TensorsOfKerasGetTheirFullNames) {
  const std::string value = "/.ATTRIBUTES/VARIABLE_VALUE";
  const std::string first = "layer_with_weights-0/kernel" + value,
                    second = "layer_with_weights-1/kernel" + value,
                    slot = "layer_with_weights-0/kernel/.OPTIMIZER_SLOT/optimizer/m" + value,
                    iter = "optimizer/iter" + value;
  const auto names = [&](const std::string& graph, const Shape& shape = {}) {
    WeightData data = read_files(tf_bundle_of({{first, 1, {1}, floats({1})},
                                               {second, 1, {1}, floats({2})},
                                               {slot, 1, {1}, floats({3})},
                                               {iter, 9, {}, bytes_of<int64_t>(4)},
                                               {"_CHECKPOINTABLE_OBJECT_GRAPH", 7, shape, graph}}));
    data.finish();
    EXPECT_EQ(data.foreign.at("_CHECKPOINTABLE_OBJECT_GRAPH"), "string");
    std::vector<std::string> all;
    for (const TensorEntry& tensor : data.tensors) all.push_back(tensor.name);
    return all;
  };
  using Names = std::vector<std::string>;
  const std::string graph = tf_object_graph_of({{first, "conv1_conv/kernel"},
                                                {second, "probs/kernel"},
                                                {slot, "Adam/conv1_conv/kernel/m"},
                                                {iter, "Adam/iter"}});
  EXPECT_EQ(names(graph), (Names{"conv1_conv/kernel", slot, iter, "probs/kernel"}));
  // Where two have one full name, none is used.
  const Names plain{first, slot, second, iter};
  EXPECT_EQ(names(tf_object_graph_of({{first, "kernel"}, {second, "kernel"}})), plain);
  EXPECT_EQ(names(""), plain);
  expect_raises(Fault::checkpoint, {"graph of objects", "net.ckpt"}, [&] { names("\x0a\x7f"); });
  expect_raises(Fault::checkpoint, {"no single string"}, [&] { names(graph, {1}); });
}

TEST(TfBundle, WrongEntriesAreRefused) {
  const std::string data = floats({1, 2});
  const std::string shape = "\x12\x04\x12\x02\x08\x02", size = "\x28\x08", crc = crc_field(data);
  EXPECT_EQ(read_files(one("\x08\x01" + shape + size + crc, data)).tensors.size(), 1u);
  expect_refused(one("\x08\x01" + shape + size + crc, floats({1, 3})), "the checksum of \"w\"");
  expect_refused(one("\x08\x01" + shape + size, data), "checksum");
  expect_refused(one("\x08\x01" + shape + "\x28\x09" + crc, data), "outside of its data file");
  expect_refused(one("\x08\x01" + shape + "\x20\x01" + size + crc, data), "outside");
  expect_refused(one("\x08\x02" + shape + size + crc, data), "has 8 bytes");
  expect_refused(one("\x08\x01\x18\x01" + shape + size + crc, data),
                 "a data file that does not exist");
  expect_refused(one("\x08\x01" + shape + size + crc + "\x3a\x01x", data), "partitioned");
  expect_refused(one("\x08\x01\x12\x02\x18\x01" + size + crc, data), "no shape");
  expect_refused(one("\x08\x01\x12\x0d\x12\x0b\x08" + varint(UINT64_MAX) + size + crc, data),
                 "impossible shape");
  expect_refused(one("\x08\x01\x12\x0c\x12\x0a\x08" + varint(UINT64_MAX / 2) + size + crc, data),
                 "impossible shape");
  expect_refused(one("\x0c", data), "impossible type");
  expect_refused(one("\x08", data), "ends too early");
  expect_refused(one("\x12\xff\xff\xff\xff\x0f", data), "ends too early");
  expect_refused(one("\x08" + std::string(12, '\xff'), data), "too long");
  std::string rank;
  for (int i = 0; i < 7; ++i) rank += "\x12\x02\x08\x01";
  expect_refused(one("\x08\x01\x12" + varint(rank.size()) + rank + size + crc, data), "dimensions");
  expect_refused(one("", data, std::string("\x08\x00", 2)), "number of data files");
  expect_refused(one("", data, "\x08\x01\x10\x01"), "big-endian");
  expect_refused({table_of({{"w", ""}}, false), ""}, "no header");
}

TEST(TfBundle, WrongTablesAreRefused) {
  const auto refused = [](const std::string& table, std::string_view words) {
    expect_raises(Fault::checkpoint, {"x.index", words},
                  [&] { read_sorted_table(table, "x.index"); });
  };
  const std::string sound = table_of({{"a", "1"}, {"ab", "2"}}, false);
  ASSERT_EQ(read_sorted_table(sound, "x.index").size(), 2u);
  EXPECT_EQ(read_sorted_table(sound, "x.index")[1].key, "ab");
  refused("", "does not end");
  refused(sound.substr(1), "");
  refused(table_of({{"b", ""}, {"a", ""}}, false), "out of order");
  refused(table_of({{"a", ""}, {"a", ""}}, false), "out of order");
  for (size_t i = 0; i + 48 < sound.size(); ++i) {
    std::string wrong = sound;
    wrong[i] = static_cast<char>(wrong[i] ^ 1);
    refused(wrong, "checksum");
  }
  // Blocks that are sound by checksum alone.
  const auto around = [](const std::string& block) {
    const std::string meta = block_of(std::string(8, '\0'), 0);
    std::string file = block + meta;
    std::string footer = varint(block.size()) + varint(8) + varint(0) + varint(block.size() - 5);
    footer.resize(40, '\0');
    return file + footer + std::string(table_magic);
  };
  const std::string end = bytes_of<uint32_t>(0) + bytes_of<uint32_t>(1);
  refused(around(block_of("", 0)), "too short");
  refused(around(block_of(bytes_of<uint32_t>(4000000000), 0)), "restart points");
  refused(around(block_of(std::string("\x05\x01\x00x", 4) + end, 0)), "shorter");
  refused(around(block_of(std::string("\x00\x7f\x00x", 4) + end, 0)), "ends too early");
  refused(around(block_of(std::string("\x00\x01\x02x\x00\x00", 6) + end, 7)), "unknown way");
  // Its value is no place in the file.
  refused(around(block_of(std::string("\x00\x01\x02x\x7f\x7f", 6) + end, 0)), "outside");
}

TEST(TfBundle, WhatExpandsTooFarIsRefusedBeforeItDoes) {
  const auto raw_snappy = [](std::string packed) {
    packed += '\x01';
    const std::string block = packed + bytes_of(masked_crc32c(crc32c(packed)));
    const std::string meta = block_of(std::string(8, '\0'), 0);
    std::string footer = varint(block.size()) + varint(8) + varint(0) + varint(block.size() - 5);
    footer.resize(40, '\0');
    return block + meta + footer + std::string(table_magic);
  };
  const auto cost = [](const std::string& table, std::string_view words) {
    const AllocationCounter counter;
    expect_raises(Fault::checkpoint, {words}, [&] { read_sorted_table(table, "x.index"); });
    return counter.bytes();
  };
  // Four gigabytes, it says.
  EXPECT_LT(cost(raw_snappy(varint(0xffffffff) + std::string("\x00x", 2)), "more than it can"),
            1 << 16);
  EXPECT_LT(cost(raw_snappy(varint(100) + std::string("\x00x", 2)), "does not expand"), 1 << 16);
  // A long key, and very many that continue it.
  std::vector<std::pair<std::string, std::string>> entries;
  std::string key(20000, 'k');
  for (int i = 0; i < 20000; ++i) entries.emplace_back(key + fmt::format("{:05}", i), "");
  EXPECT_LT(cost(table_of(entries, false), "expand too much"), 100 << 20);
}

TEST(TfBundle, WhatIsReadManyTimesIsRefused) {
  // A thousand entries of the index name one block without keys; its checksum would be computed a
  // thousand times.
  const std::string block = block_of(bytes_of<uint32_t>(0), 0);
  const std::string end = bytes_of<uint32_t>(0) + bytes_of<uint32_t>(1);
  std::string entries;
  for (int i = 0; i < 1000; ++i) {
    const std::string key = fmt::format("{:04}", i), handle = varint(0) + varint(4);
    entries += varint(0) + varint(key.size()) + varint(handle.size()) + key + handle;
  }
  const std::string index = block_of(entries + end, 0), meta = block_of(std::string(8, '\0'), 0);
  std::string footer = varint(block.size() + index.size()) + varint(8) + varint(block.size()) +
                       varint(index.size() - 5);
  footer.resize(40, '\0');
  expect_raises(Fault::checkpoint, {"x.index", "blocks overlap"}, [&] {
    read_sorted_table(block + index + meta + footer + std::string(table_magic), "x.index");
  });
}

TEST(TfBundle, TensorsThatShareTheirBytesAreRefused) {
  std::vector<TfPart> parts;
  for (int i = 0; i < 8; ++i) parts.push_back({fmt::format("w{}", i), 1, {2}, floats({1, 2})});
  const TfFiles files = tf_bundle_of(parts);
  // The data file holds only the first, where all of them are said to be.
  const std::string one = floats({1, 2});
  std::vector<std::pair<std::string, std::string>> entries;
  for (const TableEntry& entry : read_sorted_table(files.index, "x")) {
    entries.emplace_back(entry.key,
                         entry.key == "" ? entry.value : entry.value + std::string("\x20\x00", 2));
  }
  const auto data = std::make_shared<const std::string>(one);
  expect_raises(Fault::checkpoint, {"x.index", "\"w1\" shares its bytes"}, [&] {
    std::string index = table_of(entries, false);
    read_tf_bundle(index, "x.index", [&](int, int) { return data; });
  });
}

TEST(TfBundle, EveryTruncationAndEveryFlippedByteIsSeenOrHarmless) {
  for (const bool snappy : {false, true}) {
    const TfFiles files = tf_bundle_of(sample, snappy);
    const auto contents = [](const TfFiles& from) {
      WeightData data = read_files(from);
      data.finish();
      std::string all;
      for (const TensorEntry& t : data.tensors) {
        all += t.name + to_string(t.shape) + std::string(as_text(t.data));
      }
      return all;
    };
    const std::string truth = contents(files);
    for (size_t i = 0; i < files.index.size(); ++i) {
      EXPECT_THROW(contents({files.index.substr(0, i), files.data}), Error) << i;
    }
    for (size_t i = 0; i < files.data.size(); ++i) {
      EXPECT_THROW(contents({files.index, files.data.substr(0, i)}), Error) << i;
      TfFiles wrong = files;
      wrong.data[i] = static_cast<char>(wrong.data[i] ^ 0x10);
      expect_refused(wrong, "the checksum of");
    }
    for (size_t i = 0; i < files.index.size(); ++i) {
      for (const int flip : {1, 0x80, 0xff}) {
        TfFiles wrong = files;
        wrong.index[i] = static_cast<char>(wrong.index[i] ^ flip);
        try {
          EXPECT_EQ(contents(wrong), truth) << i;
        } catch (const Error& error) {
          EXPECT_EQ(error.fault(), Fault::checkpoint);
        }
      }
    }
  }
}

}  // namespace
}  // namespace convoy::test
