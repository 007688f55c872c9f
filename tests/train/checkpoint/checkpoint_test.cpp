#include "train/checkpoint/checkpoint.h"

#include <gtest/gtest.h>
#include <signal.h>
#include <sys/wait.h>
#include <unistd.h>

#include <fstream>
#include <set>

#include "base/files/append_file.h"
#include "base/random.h"
#include "support/small_disk.h"

namespace convoy {
namespace {

using Names = std::set<std::string>;

Names names_in(const fs::path& folder) {
  Names names;
  for (const auto& entry : fs::directory_iterator(folder)) names.insert(entry.path().filename());
  return names;
}

// What a step's model holds: any mix-up or loss shows.
std::string model_of(int64_t step, size_t bytes = 2000) {
  Random random(random_key(1, Purpose::generated, static_cast<uint64_t>(step)));
  std::string content;
  while (content.size() < bytes) {
    const uint64_t bits = random.bits();
    content.append(reinterpret_cast<const char*>(&bits), 8);
  }
  return content;
}

fs::path save(CheckpointStore& store, int64_t step, bool best = false, size_t bytes = 2000,
              const std::function<void()>& announce = {}) {
  const std::string model = model_of(step, bytes);
  const std::string_view whole = model;
  const std::vector<CheckpointFile> files{
      {"model.safetensors", {whole.substr(0, 100), whole.substr(100)}},
      {"optimizer.safetensors", {}}};
  return store.save({.step = step, .samples = step * 8, .numbers = {{"best", 0.1}}}, files, best,
                    announce);
}

struct Warnings {
  std::vector<std::string> all;
  CheckpointStore::Warn warn = [this](const fs::path& path, const std::string& reason) {
    all.push_back(path.filename().string() + ": " + reason);
  };
};

void expect_sound(const std::optional<Checkpoint>& checkpoint, int64_t step, size_t bytes = 2000) {
  ASSERT_TRUE(checkpoint);
  EXPECT_EQ(checkpoint->state.step, step);
  EXPECT_EQ(checkpoint->state.samples, step * 8);
  EXPECT_EQ(checkpoint->files.at("model.safetensors"), model_of(step, bytes));
  EXPECT_EQ(checkpoint->files.at("optimizer.safetensors"), "");
}

TEST(Checkpoint, WhatIsSavedIsLoadedAndTheLinksFollow) {
  const test::TempFolder run;
  CheckpointStore store(run.path(), 10);
  Warnings warnings;
  EXPECT_EQ(store.load_newest(warnings.warn), std::nullopt);
  EXPECT_EQ(save(store, 20, true), run / "checkpoints/step-0000020");
  save(store, 12345678);
  const auto newest = store.load_newest(warnings.warn);
  expect_sound(newest, 12345678);
  EXPECT_EQ(newest->best_step, 20);
  EXPECT_EQ(fs::read_symlink(run / "checkpoints/last"), "step-12345678");
  EXPECT_EQ(fs::read_symlink(run / "checkpoints/best"), "step-0000020");
  expect_sound(read_checkpoint(run / "checkpoints/best"), 20);
  EXPECT_EQ(names_in(run / "checkpoints"),
            (Names{"last", "best", "step-0000020", "step-12345678"}));
  EXPECT_EQ(names_in(run / "checkpoints/last"),
            (Names{"model.safetensors", "optimizer.safetensors", "state.json"}));
  EXPECT_TRUE(warnings.all.empty());
}

TEST(Checkpoint, TheNewestStayAndSoDoesTheBest) {
  const test::TempFolder run;
  CheckpointStore store(run.path(), 2);
  for (int step = 1; step <= 6; ++step) save(store, step, step == 2);
  EXPECT_EQ(store.steps(), (std::vector<int64_t>{6, 5, 2}));
  save(store, 7, true);
  EXPECT_EQ(store.steps(), (std::vector<int64_t>{7, 6}));
}

// A stopped run keeps what the uninterrupted one keeps.
TEST(Checkpoint, AStopgapIsNotCountedAndGoesWithTheNextSave) {
  const test::TempFolder run;
  CheckpointStore store(run.path(), 2);
  for (const int64_t step : {2, 4, 6}) save(store, step);
  store.save({.step = 7, .stopgap = true}, {}, false);
  EXPECT_EQ(store.steps(), (std::vector<int64_t>{7, 6, 4}));
  EXPECT_EQ(fs::read_symlink(run / "checkpoints/last"), "step-0000007");
  Warnings warnings;
  const auto newest = store.load_newest(warnings.warn);
  ASSERT_TRUE(newest);
  EXPECT_TRUE(newest->state.stopgap);
  store.rewind_to(&*newest);
  EXPECT_EQ(store.steps(), (std::vector<int64_t>{7, 6, 4}));
  save(store, 8);
  EXPECT_EQ(store.steps(), (std::vector<int64_t>{8, 6}));
}

TEST(Checkpoint, AStepSavedAgainReplacesTheFirst) {
  const test::TempFolder run;
  CheckpointStore store(run.path(), 2);
  save(store, 5);
  save(store, 5, true, 4000);
  expect_sound(store.load_newest({}), 5, 4000);
  EXPECT_EQ(names_in(store.folder()), (Names{"last", "best", "step-0000005"}));
}

TEST(Checkpoint, ADamagedOneIsNeverLoadedTheNextOlderIs) {
  const std::vector<std::function<void(const fs::path&)>> damages{
      [](const fs::path& p) { fs::remove(p / "model.safetensors"); },
      [](const fs::path& p) { fs::resize_file(p / "model.safetensors", 1999); },
      [](const fs::path& p) { std::ofstream(p / "optimizer.safetensors") << "more"; },
      [](const fs::path& p) {
        std::fstream file(p / "model.safetensors", std::ios::in | std::ios::out | std::ios::binary);
        file.seekg(1000);
        const char flipped = static_cast<char>(file.get() ^ 1);
        file.seekp(1000);
        file.put(flipped);
      },
      [](const fs::path& p) { fs::remove(p / "state.json"); },
      [](const fs::path& p) { fs::resize_file(p / "state.json", 100); },
      [](const fs::path& p) { fs::resize_file(p / "state.json", 0); },
      [](const fs::path& p) {  // a tree that a recursion would not come back from
        fs::resize_file(p / "state.json", fs::file_size(p / "state.json") - 3);
        std::ofstream(p / "state.json", std::ios::app)
            << ",\n  \"x\": " << std::string(80'000, '[') << std::string(80'000, ']') << "}\n";
      },
      [](const fs::path& p) {
        fs::copy_file(p / "../step-0000001/state.json", p / "state.json",
                      fs::copy_options::overwrite_existing);
      },
      [](const fs::path& p) { fs::remove_all(p), fs::create_directory(p); },
      [](const fs::path& p) { fs::remove_all(p), std::ofstream(p) << "a file"; },
  };
  for (size_t i = 0; i < damages.size(); ++i) {
    const test::TempFolder run;
    CheckpointStore store(run.path(), 10);
    save(store, 1);
    save(store, 2);
    damages[i](store.folder() / "step-0000002");
    Warnings warnings;
    const auto newest = store.load_newest(warnings.warn);
    expect_sound(newest, 1);
    ASSERT_EQ(warnings.all.size(), 1u) << i;
    EXPECT_TRUE(warnings.all[0].starts_with("step-0000002: ")) << warnings.all[0];

    store.rewind_to(&*newest);
    EXPECT_EQ(fs::read_symlink(run / "checkpoints/last"), "step-0000001");
    EXPECT_EQ(store.steps(), std::vector<int64_t>{1});
    EXPECT_TRUE(fs::exists(store.folder() / "set-aside-step-0000002"));
    save(store, 2);  // the run goes on over the place
    expect_sound(store.load_newest({}), 2);

    for (const char* name : {"step-0000001", "step-0000002"}) {
      fs::remove(store.folder() / name / "state.json");
    }
    try {
      store.load_newest(warnings.warn);
      FAIL();
    } catch (const Error& error) {
      EXPECT_EQ(error.fault(), Fault::checkpoint);
      EXPECT_TRUE(std::string_view(error.what()).starts_with("no sound checkpoint among 2 in "));
    }
  }
}

TEST(Checkpoint, AStateThatNamesFilesElsewhereIsRefused) {
  const test::TempFolder run;
  std::ofstream(run / "secret") << "x";
  fs::create_directories(run / "checkpoints/step-0000001");
  StateFile about;
  about.state.step = 1;
  about.files = {{"../../secret", {1, hash_bytes("x")}}};
  std::ofstream(run / "checkpoints/step-0000001/state.json") << to_json(about);
  EXPECT_THROW(CheckpointStore(run.path(), 1).load_newest({}), Error);
}

TEST(Checkpoint, FailureBeforeTheRenameLeavesNothingBehind) {
  const test::TempFolder run;
  CheckpointStore store(run.path(), 2);
  save(store, 1);
  EXPECT_THROW(save(store, 2, true, 2000, [] { raise(Fault::no_space, "no room for the log"); }),
               Error);
  EXPECT_EQ(names_in(store.folder()), (Names{"last", "step-0000001"}));
  expect_sound(store.load_newest({}), 1);
}

TEST(Checkpoint, LeftoversAndLinksOfAKilledProcessArePutRight) {
  const test::TempFolder run;
  CheckpointStore store(run.path(), 3);
  save(store, 1, true);
  save(store, 2, true);
  // As if killed between the rename and the links, while pruning, and in the next save.
  replace_link(store.folder() / "last", "step-0000001", Fault::bug);
  replace_link(store.folder() / "best", "step-0000001", Fault::bug);
  fs::create_directory(store.folder() / ".tmp-step-0000003");
  fs::create_directory(store.folder() / ".tmp-old-step-0000000");
  const auto newest = store.load_newest({});
  expect_sound(newest, 2);
  store.rewind_to(&*newest);
  EXPECT_EQ(names_in(store.folder()), (Names{"last", "best", "step-0000001", "step-0000002"}));
  EXPECT_EQ(fs::read_symlink(store.folder() / "last"), "step-0000002");
  EXPECT_EQ(fs::read_symlink(store.folder() / "best"), "step-0000002");
}

TEST(Checkpoint, LogsAreCutBackToTheCheckpoint) {
  const test::TempFolder run;
  CheckpointStore store(run.path(), 3);
  AppendFile metrics(run / "metrics.jsonl", Fault::bug);
  metrics.append("before\n");
  // What is said while saving belongs to the checkpoint.
  save(store, 1, false, 2000, [&] { metrics.append("saved\n"); });
  metrics.append("after\n");
  std::ofstream(run / "log.txt") << "a log that began later\n";
  std::ofstream(run / "sessions.jsonl") << "never cut\n";

  Warnings warnings;
  const auto newest = store.load_newest(warnings.warn);
  store.cut_logs(newest->log_lengths, warnings.warn);
  EXPECT_EQ(read_file(run / "metrics.jsonl", Fault::bug), "before\nsaved\n");
  EXPECT_EQ(read_file(run / "log.txt", Fault::bug), "");
  EXPECT_EQ(read_file(run / "sessions.jsonl", Fault::bug), "never cut\n");
  EXPECT_TRUE(warnings.all.empty());

  fs::resize_file(run / "metrics.jsonl", 3);
  store.cut_logs(newest->log_lengths, warnings.warn);
  EXPECT_EQ(read_file(run / "metrics.jsonl", Fault::bug), "bef");
  fs::remove(run / "metrics.jsonl");
  store.cut_logs(newest->log_lengths, warnings.warn);
  EXPECT_EQ(warnings.all, (std::vector<std::string>{
                              "metrics.jsonl: 3 bytes instead of 13: lines of the run are lost",
                              "metrics.jsonl: 0 bytes instead of 13: lines of the run are lost"}));
}

TEST(Checkpoint, AFullDiskKeepsEveryEarlierCheckpoint) {
  const test::SmallDisk disk(1024);
  if (!disk.why_not().empty()) GTEST_SKIP() << disk.why_not();
  CheckpointStore store(disk.path(), 2);
  save(store, 1, false, 300'000);
  save(store, 2, false, 300'000);
  for (int attempt = 0; attempt < 3; ++attempt) {
    try {
      save(store, 3, false, 600'000);
      FAIL();
    } catch (const Error& error) {
      EXPECT_EQ(error.fault(), Fault::no_space);
      EXPECT_NE(std::string_view(error.what()).find("No space left"), std::string_view::npos);
    }
    EXPECT_EQ(names_in(store.folder()), (Names{"last", "step-0000001", "step-0000002"}));
    expect_sound(store.load_newest({}), 2, 300'000);
  }
  save(store, 3, false, 200'000);  // a smaller one fits: the attempts gave everything back
  expect_sound(store.load_newest({}), 3, 200'000);
}

// Works on the run until it is killed: goes on from the newest checkpoint, one line of log per
// step.
[[noreturn]] void work(const fs::path& run) {
  CheckpointStore store(run, 2);
  const auto newest = store.load_newest({});
  store.rewind_to(newest ? &*newest : nullptr);
  store.cut_logs(newest ? newest->log_lengths : std::map<std::string, uint64_t>{}, {});
  AppendFile log(run / "log.txt", Fault::bug);
  for (int64_t step = newest ? newest->state.step + 1 : 1;; ++step) {
    log.append(fmt::format("step {}\n", step));
    save(store, step, step % 3 == 0, 30'000, [&] { log.append(fmt::format("saved {}\n", step)); });
  }
}

TEST(Checkpoint, AKilledProcessNeverLeavesADamagedOne) {
  const fs::path memory = "/dev/shm";
  const test::TempFolder run(fs::is_directory(memory) ? memory : fs::temp_directory_path());
  Random random(3);
  int64_t reached = 0, unfinished = 0;
  for (int round = 0; round < 60; ++round) {
    const pid_t child = ::fork();
    ASSERT_GE(child, 0);
    if (child == 0) {
      try {
        work(run.path());
      } catch (...) {
        ::_exit(1);
      }
    }
    ::usleep(1000 + random.below(12'000));
    ASSERT_EQ(::kill(child, SIGKILL), 0);
    int status = 0;
    ASSERT_EQ(::waitpid(child, &status, 0), child);
    ASSERT_TRUE(WIFSIGNALED(status)) << "the worker failed by itself";

    CheckpointStore store(run.path(), 2);
    Warnings warnings;
    const auto newest = store.load_newest(warnings.warn);
    EXPECT_TRUE(warnings.all.empty());
    if (!newest) continue;
    expect_sound(newest, newest->state.step, 30'000);
    EXPECT_GE(newest->state.step, reached);
    reached = newest->state.step;
    for (const std::string& name : names_in(store.folder()))
      unfinished += name.starts_with(".tmp-");
    store.rewind_to(&*newest);
    EXPECT_LE(store.steps().size(), 3u);  // two and the best
    if (reached >= 3) {
      EXPECT_EQ(read_checkpoint(store.folder() / "best").state.step, reached / 3 * 3);
    }
    store.cut_logs(newest->log_lengths, warnings.warn);
    EXPECT_TRUE(warnings.all.empty());
    std::string expected;
    for (int64_t s = 1; s <= reached; ++s) expected += fmt::format("step {}\nsaved {}\n", s, s);
    ASSERT_EQ(read_file(run / "log.txt", Fault::bug), expected);
  }
  RecordProperty("reached_step", static_cast<int>(reached));
  RecordProperty("killed_while_writing", static_cast<int>(unfinished));
  EXPECT_GT(reached, 0);
}

}  // namespace
}  // namespace convoy
