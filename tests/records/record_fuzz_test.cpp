// Record files and the messages in them, damaged as fuzzers do it, for some seconds each: an error
// of one line and Fault::data, or records; and never memory that the file does not account for.

#include <gtest/gtest.h>

#include "records/example.h"
#include "records/small_features.h"
#include "records/tar.h"
#include "records/tfrecord.h"
#include "support/fuzz.h"
#include "support/mutate.h"
#include "support/records.h"
#include "support/tar_writer.h"
#include "support/temp_folder.h"
#include "support/tiny_sets.h"

namespace convoy::test {
namespace {

// `read(bytes)` with damaged seeds.
template <class Read>
void fuzz_seeds(const Fuzz& how, const std::vector<std::string>& seeds, Read&& read) {
  fuzz(
      how,
      [&](Random& random) {
        return mutated(seeds[random.below(static_cast<uint32_t>(seeds.size()))], seeds, random);
      },
      [&](const std::string& bytes, Random&) { read(bytes); });
}

std::vector<std::string> sound_records() {
  return {picture_record({.label = 3, .synset = "n01440764", .encoded = std::string(300, 'p')}),
          picture_record({.label = 1000,
                          .synset = "",
                          .encoded = "picture",
                          .boxes = {{0, 0.25f, 0.5f, 1}, {0.1f, 0.2f, 0.3f, 0.4f}}}),
          encode_example({{"a", std::vector<std::string>{"x", std::string(5000, 'y')}},
                          {"b", std::vector<int64_t>{1, -2, 300}}})};
}

void read_everything(std::string_view record) {
  const Example example(record, "fuzz");
  int refused = 0;
  for (const std::string_view name : example.names()) {
    for (int kind = 0; kind < 3; ++kind) {
      try {
        size_t values = 0;
        if (kind == 0) {
          for (const std::string_view text : example.bytes_list(name)) values += text.size();
        }
        if (kind == 1) values += example.int_list(name).size();
        if (kind == 2) values += example.float_list(name).size();
        ASSERT_LE(values, record.size());
      } catch (const Error& error) {
        ASSERT_EQ(error.fault(), Fault::data);
        ++refused;
      }
    }
  }
  ASSERT_LE(refused, static_cast<int>(3 * example.names().size()));
}

TEST(RecordFuzz, TfRecords) {
  const TempFolder folder(memory_folder());
  std::string file;
  for (const std::string& record : sound_records()) file += framed_record(record);
  fuzz_seeds({.seconds = 9, .seed = 11}, {file}, [&](const std::string& bytes) {
    write_bytes(folder / "x", bytes);
    const TfRecordFile records(folder / "x");
    std::string payload;
    for (const RecordPlace& place : records.scan()) {
      records.read(place, payload);
      read_everything(payload);
    }
  });
}

// As behind sound checksums.
TEST(RecordFuzz, Examples) {
  fuzz_seeds({.seconds = 10, .seed = 12}, sound_records(), [](const std::string& bytes) {
    const std::string small =
        small_features(bytes.size(), "fuzz", [&](uint64_t offset, size_t count) {
          EXPECT_LE(offset + count, bytes.size());
          return bytes.substr(static_cast<size_t>(offset), count);
        });
    read_everything(small);
    read_everything(bytes);
  });
}

TEST(RecordFuzz, Tars) {
  const TempFolder folder(memory_folder());
  const std::string inner = tar_of({{"a.JPEG", "picture"}, {"b.JPEG", std::string(900, 'b')}});
  fuzz_seeds({.seconds = 6, .seed = 13}, {tar_of({{"n1.tar", inner}}), inner},
             [&](const std::string& bytes) {
               write_bytes(folder / "x", bytes);
               const RandomFile file(folder / "x", Fault::data);
               for (const TarMember& member : tar_members(file)) {
                 EXPECT_LE(member.offset + member.bytes, bytes.size());
                 if (member.name.ends_with(".tar"))
                   tar_members(file, member.offset, member.bytes, "inner");
               }
             });
}

}  // namespace
}  // namespace convoy::test
