// Every reader against damaged files, twelve seconds each: an error of one line and
// Fault::checkpoint, or tensors whose every byte can be read; and never memory that the file does
// not account for. Checksums would stop nearly all of it at the door, so half of the files get
// sound ones again.

#include <gtest/gtest.h>

#include "base/crc32c.h"
#include "support/fixture.h"
#include "support/fuzz.h"
#include "support/mend.h"
#include "support/mutate.h"
#include "support/weight_writers.h"
#include "weights/numpy_file.h"
#include "weights/tensorflow/sorted_table.h"
#include "weights/tensorflow/tf_bundle.h"
#include "weights/torch/torch_file.h"

namespace convoy::test {
namespace {

std::string file(const char* name) { return read_file(fixture_path(name), Fault::bug); }

// Reads what `make(random)` gives as weights. `read` gets shared bytes.
template <class Make, class Read>
void fuzz_weights(uint64_t seed, Make&& make, Read&& read) {
  const Fuzz how{.seconds = 12, .seed = seed, .fault = Fault::checkpoint, .total_per_byte = 1000};
  fuzz(how, make, [&](const std::string& bytes, Random&) {
    WeightData data = read(std::make_shared<const std::string>(bytes));
    data.finish();
    unsigned sum = 0;  // touch every byte: the sanitizer checks the spans
    for (const TensorEntry& t : data.tensors) {
      ASSERT_EQ(t.data.size(), static_cast<size_t>(t.shape.count()) * bytes_per_element(t.dtype));
      for (const std::byte b : t.data) sum += static_cast<unsigned>(b);
    }
    ASSERT_LE(sum, UINT32_MAX);
  });
}

TEST(ReaderFuzz, Safetensors) {
  const std::vector<std::string> seeds{file("torch.safetensors")};
  fuzz_weights(
      1, [&](Random& random) { return mutated(seeds[0], seeds, random); },
      [](const SharedBytes& bytes) {
        const auto sound = std::make_shared<const SafetensorsFile>(*bytes, "fuzz");
        WeightData data("fuzz", bytes->size());
        data.keep(sound);
        data.tensors = sound->tensors();
        data.foreign = sound->foreign();
        return data;
      });
}

TEST(ReaderFuzz, TorchZip) {
  const std::vector<std::string> seeds{
      file("weights/torch_zip.pt"), file("weights/torch_protocol4.pt"),
      torch_zip_of(pickled_dict({{"a", pickled_tensor("FloatStorage", "0", 6, 1, {2, 2}, {1, 3})}}),
                   {{"0", floats({0, 1, 2, 3, 4, 5}), 6}})};
  fuzz_weights(
      2,
      [&](Random& random) {
        std::string bytes = mutated(seeds[random.below(3)], seeds, random);
        if (random.below(2)) mend_zip(bytes);
        return bytes;
      },
      [](const SharedBytes& bytes) { return read_torch_zip(bytes, "fuzz"); });
}

TEST(ReaderFuzz, TorchLegacy) {
  const std::vector<std::string> seeds{
      file("weights/torch_legacy.th"),
      torch_legacy_of(
          pickled_dict({{"a", pickled_tensor("FloatStorage", "0", 6, 1, {2, 2}, {1, 3})}}),
          {{"0", floats({0, 1, 2, 3, 4, 5}), 6}})};
  fuzz_weights(
      3, [&](Random& random) { return mutated(seeds[random.below(2)], seeds, random); },
      [](const SharedBytes& bytes) { return read_torch_legacy(bytes, "fuzz"); });
}

// The index is what is damaged: as a file, or its one block before it gets its checksum.
TEST(ReaderFuzz, TfCheckpoint) {
  const std::vector<TfPart> parts{{"net/conv2d/kernel", 1, {1, 1, 2, 2}, floats({1, 2, 3, 4})},
                                  {"net/conv2d/kernel/Momentum", 1, {2}, floats({5, 6})},
                                  {"net/conv2d_1/kernel", 2, {1}, bytes_of(0.1)},
                                  {"global_step", 9, {}, bytes_of<int64_t>(46900)},
                                  {"_CHECKPOINTABLE_OBJECT_GRAPH",
                                   7,
                                   {},
                                   tf_object_graph_of({{"net/conv2d_1/kernel", "dense/kernel"}})}};
  const TfFiles plain = tf_bundle_of(parts), packed = tf_bundle_of(parts, true);
  const auto data = std::make_shared<const std::string>(plain.data);
  const std::vector<std::string> seeds{plain.index, packed.index};
  // Blocks of `plain` with their checksums: data, meta index (8 bytes), index.
  const size_t footer = plain.index.size() - 48;
  fuzz_weights(
      4,
      [&](Random& random) {
        const uint32_t kind = random.below(4);
        if (kind < 2) return mutated(seeds[kind], seeds, random);
        const std::vector<TableEntry> entries = read_sorted_table(plain.index, "seed");
        std::vector<std::pair<std::string, std::string>> wrong;
        const uint32_t victim = random.below(static_cast<uint32_t>(entries.size()));
        for (uint32_t i = 0; i < entries.size(); ++i) {
          std::string value = entries[i].value;
          if (i == victim) value = mutated(value, {value}, random);
          wrong.emplace_back(entries[i].key, value);
        }
        if (kind == 2) return table_of(wrong, random.below(2) == 1);
        // The block itself, behind a sound checksum.
        std::string block = plain.index.substr(0, footer);
        block = mutated(block.substr(0, block.size() / 2), {block}, random);
        const std::string stored = block_of(block, static_cast<uint8_t>(random.below(2)));
        const std::string meta = block_of(std::string(8, '\0'), 0);
        std::string tail =
            varint(stored.size()) + varint(8) + varint(0) + varint(stored.size() - 5);
        tail.resize(40, '\0');
        return stored + meta + tail + std::string(table_magic);
      },
      [&](const SharedBytes& bytes) {
        return read_tf_bundle(*bytes, "fuzz", [&](int, int) { return data; });
      });
}

TEST(ReaderFuzz, Npz) {
  const std::vector<std::string> seeds{
      file("weights/plain.npz"), file("weights/compressed.npz"),
      zip_of({{"a.npy", npy_of("<f4", "(2, 1)", floats({1, 2}))},
              {"b.npy", npy_of("<f8", "(1,)", bytes_of(0.5), true), true}})};
  fuzz_weights(
      5,
      [&](Random& random) {
        std::string bytes = mutated(seeds[random.below(3)], seeds, random);
        if (random.below(2)) mend_zip(bytes);
        return bytes;
      },
      [](const SharedBytes& bytes) { return read_npz(bytes, "fuzz"); });
}

}  // namespace
}  // namespace convoy::test
