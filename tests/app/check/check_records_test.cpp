// `convoy check` on pictures in record files.

#include <gtest/gtest.h>

#include "pictures/files.h"
#include "records/example.h"
#include "records/tfrecord.h"
#include "support/run_files.h"

namespace convoy::test {
namespace {

std::string record(const std::string& picture, int64_t label) {
  return encode_example(
      {{"image/encoded", std::vector<std::string>{picture}},
       {"image/class/label", std::vector<int64_t>{label}},
       {"image/class/synset", std::vector<std::string>{fmt::format("n{}", label)}}});
}

void write_shard(const fs::path& path, const std::vector<std::string>& records) {
  TfRecordWriter writer(path);
  for (const std::string& each : records) writer.add(each);
  writer.finish();
}

TEST(CheckRecords, FindsWhatIsWrongInsideOfShards) {
  const TempFolder folder;
  const std::string hopper = record(picture_bytes("hopper.jpg"), 1),
                    flower = record(picture_bytes("flower.jpg"), 2),
                    half = record(picture_bytes("flower.jpg").substr(0, 9000), 2),
                    grey = record(picture_bytes("grey.jpg"), 1);
  fs::create_directories(folder / "set");
  write_shard(folder / "set/train-00000-of-00002", {hopper, flower});
  write_shard(folder / "set/train-00001-of-00002", {grey});
  write_shard(folder / "set/validation-00000-of-00001", {half, hopper});
  const auto check = [&] { return run_convoy({"check", "set", "--json"}, folder.path()); };
  Finished end = check();
  EXPECT_EQ(end.code, 3) << end.err;
  const Json all = Json::parse(end.out);
  EXPECT_EQ(all.at("pictures"), 5);
  EXPECT_EQ(all.at("splits").at("train"), (Json{{"n1", 2}, {"n2", 1}}));
  EXPECT_EQ(all.at("splits").at("val"), (Json{{"n1", 1}, {"n2", 1}}));
  const Json& findings = all.at("findings");
  ASSERT_EQ(findings.at("broken").size(), 1u);
  EXPECT_EQ(findings.at("broken")[0].at("file"), "validation-00000-of-00001 at byte 0");
  ASSERT_EQ(findings.at("across_splits").size(), 1u);
  EXPECT_EQ(findings.at("across_splits")[0].at("other"), "train-00000-of-00002 at byte 0");
  EXPECT_EQ(findings.at("grey").size(), 1u);
  EXPECT_EQ(findings.at("no_pictures").size(), 0u);

  // One bit of a payload: that record is broken. A shard that is gone: one line.
  std::string bytes = read_file(folder / "set/train-00001-of-00002", Fault::bug);
  bytes[bytes.size() / 2] ^= 1;
  write_atomically(folder / "set/train-00001-of-00002", bytes, Fault::bug);
  end = check();
  EXPECT_EQ(end.code, 3);
  EXPECT_EQ(Json::parse(end.out).at("findings").at("broken").size(), 2u);
  fs::remove(folder / "set/train-00001-of-00002");
  end = check();
  EXPECT_EQ(end.code, 3);
  EXPECT_EQ(end.out, "");
  EXPECT_NE(end.err.find("train-00001-of-00002"), end.err.npos) << end.err;
}

}  // namespace
}  // namespace convoy::test
