#include "records/tfrecord.h"

#include <gtest/gtest.h>

#include <thread>

#include "support/raises.h"
#include "support/records.h"
#include "support/shared_data.h"
#include "support/small_disk.h"
#include "support/tiny_sets.h"

namespace convoy::test {
namespace {

const std::vector<std::string> payloads{"a", std::string(5000, 'b'), "", std::string("\0\xff", 2)};

std::vector<std::string> read_all(const fs::path& path, bool keep_open = true) {
  const TfRecordFile file(path, keep_open);
  std::vector<std::string> all;
  for (const RecordPlace& place : file.scan()) file.read(place, all.emplace_back());
  return all;
}

// The bytes of the file of `payloads`, changed by `change`, must be refused with these words.
template <class Change>
void expect_refused(std::initializer_list<std::string_view> words, Change&& change) {
  const TempFolder folder;
  std::string bytes;
  for (const std::string& payload : payloads) bytes += framed_record(payload);
  change(bytes);
  write_bytes(folder / "x.tfrecord", bytes);
  expect_raises(Fault::data, words, [&] { read_all(folder / "x.tfrecord"); });
}

TEST(TfRecord, TheFrameIsTensorFlows) {
  // tf.io.TFRecordWriter wrote the record "hello" like this.
  EXPECT_EQ(framed_record("hello"),
            std::string("\x05\0\0\0\0\0\0\0\xea\xb2\x04\x3ehello\xbb\x1f\x1c\x19", 21));
}

TEST(TfRecord, WhatIsWrittenIsRead) {
  const TempFolder folder;
  TfRecordWriter writer(folder / "x");
  for (const std::string& payload : payloads) writer.add(payload);
  EXPECT_FALSE(fs::exists(folder / "x"));
  writer.finish();
  EXPECT_EQ(read_all(folder / "x"), payloads);
  EXPECT_EQ(read_all(folder / "x", false), payloads);
  const TfRecordFile file(folder / "x");
  const std::vector<RecordPlace> places = file.scan();
  EXPECT_EQ(places, (std::vector<RecordPlace>{{0, 1}, {17, 5000}, {5033, 0}, {5049, 2}}));
  EXPECT_EQ(file.peek(places[1], 4990, 10), std::string(10, 'b'));
  EXPECT_EQ(file.origin(places[1]), (folder / "x").string() + " at byte 17");
  { TfRecordWriter(folder / "y").add("never finished"); }
  EXPECT_EQ(std::distance(fs::directory_iterator(folder.path()), {}), 1);
  TfRecordWriter(folder / "empty").finish();
  EXPECT_EQ(read_all(folder / "empty"), std::vector<std::string>{});
}

TEST(TfRecord, ThreadsReadAtTheSameTime) {
  const TempFolder folder;
  std::vector<std::string> many;
  for (int i = 0; i < 400; ++i)
    many.emplace_back(static_cast<size_t>(i * 37), static_cast<char>(i));
  write_records(folder / "x", many);
  const TfRecordFile file(folder / "x");
  const std::vector<RecordPlace> places = file.scan();
  std::atomic<int> wrong = 0;
  {
    std::vector<std::jthread> threads;
    for (size_t t = 0; t < 4; ++t) {
      threads.emplace_back([&, t] {
        std::string payload;
        for (size_t i = 0; i < places.size(); ++i) {
          const size_t k = (i * (t + 1) * 3 + t) % places.size();
          file.read(places[k], payload);
          wrong += payload != many[k];
        }
      });
    }
  }
  EXPECT_EQ(wrong, 0);
}

TEST(TfRecord, EveryFlippedBitIsFoundWithFileAndByte) {
  const TempFolder folder;
  const std::string sound = framed_record("first") + framed_record("the second");
  for (size_t bit = 0; bit < sound.size() * 8; ++bit) {
    std::string bytes = sound;
    bytes[bit / 8] = static_cast<char>(bytes[bit / 8] ^ (1 << bit % 8));
    write_bytes(folder / "x", bytes);
    expect_raises(Fault::data, {"x", bit / 8 < 21 ? "at byte 0" : "at byte 21", "; try: "},
                  [&] { read_all(folder / "x"); });
  }
}

TEST(TfRecord, CutOffFilesAreFoundUnlessBetweenRecords) {
  for (const size_t length : {5u, 11u, 16u, 20u, 5032u, 5034u, 5048u, 5060u, 5066u}) {
    expect_refused({"x.tfrecord", "at byte", "; try: "}, [&](std::string& b) { b.resize(length); });
  }
}

TEST(TfRecord, AbsurdLengthsTakeNoMemory) {
  for (const uint64_t length : {uint64_t{5035}, uint64_t{1} << 40, UINT64_MAX, UINT64_MAX - 15}) {
    expect_refused({"at byte 17 says it has", "the file ends"}, [&](std::string& bytes) {
      // With a sound checksum: that of a record of this length.
      std::string head(reinterpret_cast<const char*>(&length), 8);
      const std::string framed = framed_record(head);
      bytes.replace(17, 8, head);
      bytes.replace(25, 4, framed.substr(20, 4));
    });
  }
}

TEST(TfRecord, WhatIsNoTfRecordFile) {
  const TempFolder folder;
  expect_refused({"compressed", "gzip", "gunzip"}, [](std::string& b) { b = gzip(b); });
  expect_refused({"x.tfrecord", "at byte 0"}, [](std::string& b) { b = std::string(100, 'x'); });
  expect_raises(Fault::data, {"missing", "No such file"}, [&] { read_all(folder / "missing"); });
  expect_raises(Fault::data, {"Is a directory"}, [&] { read_all(folder.path()); });
}

TEST(TfRecord, AFullDiskLeavesNothing) {
  const SmallDisk disk(256);
  if (!disk.why_not().empty()) GTEST_SKIP() << disk.why_not();
  expect_raises(Fault::no_space, {"full", "; try: "}, [&] {
    TfRecordWriter writer(disk.path() / "full");
    for (int i = 0; i < 100; ++i) writer.add(std::string(10000, 'x'));
    writer.finish();
  });
  EXPECT_TRUE(fs::is_empty(disk.path()));
}

TEST(TfRecord, FilesOfTensorFlowAreReadWithAllChecksums) {
  const auto folder = shared_data("fixtures/tfrecord");
  if (!folder) GTEST_SKIP() << "no shared data";
  for (const auto& [name, records] :
       {std::pair{"mlperf_v0.7_ssd_dummy.tfrecord", 128u},
        {"tfds_dmlab-train.tfrecord-00000-of-00001", 2u},
        {"tfmodels_deeplab_pascal_voc_seg_val-00000-of-00001.tfrecord", 3u},
        {"tfmodels_pets_examples.record", 10u}}) {
    EXPECT_EQ(read_all(*folder / name).size(), records) << name;
  }
  expect_raises(Fault::data, {"tfds_gzip_examples.tfrecord.gz", "gunzip"},
                [&] { read_all(*folder / "tfds_gzip_examples.tfrecord.gz"); });
}

}  // namespace
}  // namespace convoy::test
