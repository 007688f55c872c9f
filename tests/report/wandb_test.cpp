// Offline runs of Weights & Biases, read back record by record.
#include "report/wandb/wandb.h"

#include <gtest/gtest.h>
#include <zlib.h>

#include <algorithm>
#include <cstring>
#include <nlohmann/json.hpp>

#include "base/proto_fields.h"
#include "report/wandb/transaction_log.h"
#include "support/label_metrics.h"
#include "support/temp_folder.h"

namespace convoy::test {
namespace {

using Json = nlohmann::json;
using Take = std::function<void(const ProtoField&)>;

void fields(std::string_view message, const Take& take) {
  for_each_field(message, "the log", "a record", take, Fault::data);
}

// The payloads of a transaction log; every checksum and the padding are checked.
std::vector<std::string> records_of(const fs::path& path) {
  const std::string bytes = read_file(path, Fault::bug);
  EXPECT_EQ(bytes.substr(0, 7), std::string(":W&B\xe1\xbe\0", 7));
  std::vector<std::string> all;
  std::string open;
  for (size_t at = 7; at < bytes.size();) {
    const size_t left = 32768 - at % 32768;
    if (left < 7) {
      EXPECT_EQ(bytes.substr(at, left), std::string(left, '\0'));
      at += left;
      continue;
    }
    uint32_t sum = 0;
    uint16_t length = 0;
    std::memcpy(&sum, &bytes[at], 4);
    std::memcpy(&length, &bytes[at + 4], 2);
    const char type = bytes[at + 6];
    EXPECT_LE(length, left - 7);
    EXPECT_EQ(crc32(0, reinterpret_cast<const Bytef*>(&bytes[at + 6]), length + 1u), sum);
    open = (type == 1 || type == 2 ? "" : open) + bytes.substr(at + 7, length);
    if (type == 1 || type == 4) all.push_back(open);
    at += 7 + length;
  }
  return all;
}

TEST(TransactionLog, SplitsRecordsAtBlocks) {
  const TempFolder folder;
  std::vector<std::string> wanted;
  {
    TransactionLog log(folder / "a.wandb");
    // The first block ends with six bytes, then one with exactly seven.
    for (const size_t length : {size_t{0}, size_t{10}, size_t{32768 - 7 - 7 - 17 - 7 - 6},
                                size_t{32768 - 7 - 7}, size_t{3}, size_t{100000}, size_t{40}}) {
      wanted.emplace_back(length, static_cast<char>('a' + wanted.size()));
      log.add(wanted.back());
    }
    EXPECT_EQ(log.count(), 7);
  }
  EXPECT_EQ(records_of(folder / "a.wandb"), wanted);
}

// Items as JSON, of a history row, a summary or a config.
Json items_of(std::string_view message, int number) {
  Json all;
  fields(message, [&](const ProtoField& f) {
    if (f.number != number) return;
    std::string key, value;
    fields(f.bytes, [&](const ProtoField& item) {
      if (item.number == 1) key = item.bytes;
      if (item.number == 16) value = item.bytes;
    });
    all[key] = Json::parse(value);
  });
  return all;
}

struct Seen {
  std::string id;
  Json config, summary;
  std::vector<Json> history;
  std::vector<int64_t> numbers;
  std::string kinds;
};

Seen seen_in(const fs::path& session) {
  Seen seen;
  const std::string name = session.filename();
  seen.id = name.substr(name.rfind('-') + 1);
  for (const std::string& record : records_of(session / ("run-" + seen.id + ".wandb"))) {
    fields(record, [&](const ProtoField& f) {
      if (f.number == 1) seen.numbers.push_back(static_cast<int64_t>(f.value));
      if (f.number == 1) return;
      if (f.number != 13) seen.kinds += std::to_string(f.number) + " ";
      if (f.number == 2) seen.history.push_back(items_of(f.bytes, 1));
      if (f.number == 3) seen.summary = items_of(f.bytes, 1);
      if (f.number != 17) return;
      fields(f.bytes, [&](const ProtoField& run) {
        if (run.number == 4) seen.config = items_of(run.bytes, 1);
      });
    });
  }
  return seen;
}

TrainProgress progress(int64_t step) {
  return {.step = step, .samples = step * 8, .loss = NAN, .lr = 0.5, .rss_bytes = 5'000'000};
}

std::vector<fs::path> sessions_in(const fs::path& folder) {
  std::vector<fs::path> all;
  for (const auto& entry : fs::directory_iterator(folder)) all.push_back(entry.path());
  std::ranges::sort(all);
  return all;
}

TEST(Wandb, ARunHasConfigHistorySummaryFilesAndItsEnd) {
  const TempFolder folder;
  write_atomically(folder / "args.yml", "lr: 0.5\n", Fault::bug);
  const WandbSpec spec{folder / "wandb",
                       "p",
                       "a",
                       {{"lr", "0.5"}, {"model", "\"m\""}},
                       {folder / "args.yml", folder / "missing"}};
  {
    const auto listener = wandb_listener(spec);
    listener->on(RunStart{.model = "m"});
    listener->on(progress(10));
    listener->on(EvalDone{.step = 10, .metrics = label_metrics(0.5, 70, 90)});
    listener->on(progress(20));
    listener->on(EvalDone{.step = 20, .metrics = label_metrics(0.5, 60, 90)});
    listener->on(RunEnd{.step = 20, .weights_hash = "00ff", .exit = 0});
  }
  ASSERT_EQ(sessions_in(folder / "wandb").size(), 1u);
  const fs::path session = sessions_in(folder / "wandb")[0];
  const Seen seen = seen_in(session);
  EXPECT_EQ(seen.config, (Json{{"lr", 0.5}, {"model", "m"}}));
  EXPECT_EQ(seen.kinds, "17 6 7 3 2 7 3 2 3 18 ");
  for (size_t i = 0; i < seen.numbers.size(); ++i) {
    EXPECT_EQ(seen.numbers[i], static_cast<int64_t>(i) + 1);
  }
  ASSERT_EQ(seen.history.size(), 2u);
  EXPECT_EQ(seen.history[0]["_step"], 10);
  EXPECT_EQ(seen.history[0]["train/loss"], "NaN");
  EXPECT_EQ(seen.history[0]["val/top1"], 70);
  EXPECT_EQ(seen.summary["val/top1"], 60);
  EXPECT_EQ(seen.summary["best/top1"], 70);
  EXPECT_EQ(seen.summary["weights_hash"], "00ff");
  EXPECT_EQ(read_file(session / "files/args.yml", Fault::bug), "lr: 0.5\n");
}

TEST(Wandb, AResumedRunKeepsItsIdInASessionOfItsOwn) {
  const TempFolder folder;
  const WandbSpec spec{folder / "wandb", "p", "a", {}, {}};
  wandb_listener(spec)->on(RunStart{.model = "m"});
  {
    const auto resumed = wandb_listener(spec);
    resumed->on(Resumed{.step = 10, .path = "checkpoints/step-0000010"});
    resumed->on(progress(20));
    resumed->flush();
    resumed->on(progress(30));  // not whole yet when the process is killed
  }
  const std::vector<fs::path> sessions = sessions_in(folder / "wandb");
  ASSERT_EQ(sessions.size(), 2u);
  const Seen first = seen_in(sessions[0]), second = seen_in(sessions[1]);
  EXPECT_EQ(first.id, second.id);
  ASSERT_EQ(second.history.size(), 1u);
  EXPECT_EQ(second.history[0]["_step"], 20);
}

}  // namespace
}  // namespace convoy::test
