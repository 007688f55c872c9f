#include "train/run/run_dir.h"

#include <gtest/gtest.h>
#include <sys/stat.h>
#include <sys/wait.h>
#include <unistd.h>

#include <fstream>

#include "base/files/temporary_name.h"
#include "support/small_disk.h"

namespace convoy {
namespace {

void put(const fs::path& path) { std::ofstream(path) << "x"; }

template <class F>
std::string refusal(Fault fault, F&& call) {
  try {
    call();
  } catch (const Error& error) {
    EXPECT_EQ(error.fault(), fault) << error.what();
    EXPECT_EQ(std::string_view(error.what()).find('\n'), std::string_view::npos);
    return error.what();
  }
  return "accepted";
}

TEST(RunDir, TheSecondRunOfANameGetsANumber) {
  const test::TempFolder folder;
  const RunDir one = RunDir::create(folder / "a/b", "demo");
  const RunDir two = RunDir::create(folder / "a/b", "demo");
  put(folder / "a/b/demo-3");  // a file takes a name too
  const RunDir four = RunDir::create(folder / "a/b", "demo");
  EXPECT_EQ(one.path(), folder / "a/b/demo");
  EXPECT_EQ(two.path(), folder / "a/b/demo-2");
  EXPECT_EQ(four.path(), folder / "a/b/demo-4");
  EXPECT_TRUE(one.locked());
  EXPECT_TRUE(fs::is_directory(one.checkpoints()));
  EXPECT_TRUE(fs::is_directory(one.weights()));
}

TEST(RunDir, ProcessesThatStartTogetherGetDifferentFolders) {
  const test::TempFolder folder;
  std::vector<pid_t> children;
  for (int i = 0; i < 8; ++i) {
    const pid_t child = ::fork();
    if (child == 0) {
      try {
        RunDir::create(folder / "runs", "same");
        ::_exit(0);
      } catch (...) {
        ::_exit(1);
      }
    }
    children.push_back(child);
  }
  for (const pid_t child : children) {
    int status = 0;
    ASSERT_EQ(::waitpid(child, &status, 0), child);
    EXPECT_EQ(status, 0);
  }
  for (const char* name : {"same", "same-2", "same-8"})
    EXPECT_TRUE(fs::exists(folder / "runs" / name));
  EXPECT_FALSE(fs::exists(folder / "runs/same-9"));
}

TEST(RunDir, OneProcessAtATimeAndTheOtherIsNamed) {
  const test::TempFolder folder;
  {
    const RunDir run = RunDir::create(folder.path(), "demo");
    put(run.args());
    const std::string message = refusal(Fault::usage, [&] { RunDir::open(run.path()); });
    EXPECT_NE(message.find(fmt::format("is in use by process {} on ", ::getpid())),
              std::string::npos)
        << message;
    EXPECT_FALSE(RunDir::look(run.path()).locked());  // reading needs no lock
  }
  EXPECT_TRUE(RunDir::open(folder / "demo").locked());
}

TEST(RunDir, APlaceThatCannotBeWrittenIsAUsageError) {
  const test::TempFolder folder;
  put(folder / "file");
  EXPECT_EQ(refusal(Fault::usage, [&] { RunDir::create(folder / "file", "demo"); }),
            "cannot write to the run directory " + (folder / "file").string() +
                ": Not a directory; try: --output DIR that you may write to");
  EXPECT_EQ(refusal(Fault::usage, [&] { RunDir::create("/proc/no/where", "demo"); }).substr(0, 47),
            "cannot write to the run directory /proc/no/wher");
  if (::geteuid() != 0) {
    ::chmod(folder.path().c_str(), 0555);
    refusal(Fault::usage, [&] { RunDir::create(folder.path(), "demo"); });
    ::chmod(folder.path().c_str(), 0755);
  }
}

TEST(RunDir, NamesThatAreNoFolderNamesAreUsageErrors) {
  const test::TempFolder folder;
  for (const char* name : {"", ".", "..", ".hidden", "a/b", "a\nb"}) {
    EXPECT_NE(refusal(Fault::usage, [&] { RunDir::create(folder.path(), name); }), "accepted");
  }
}

TEST(RunDir, WhatIsNoRunCannotBeResumed) {
  const test::TempFolder folder;
  EXPECT_NE(
      refusal(Fault::checkpoint, [&] { RunDir::open(folder / "none"); }).find("no run directory"),
      std::string::npos);
  EXPECT_NE(
      refusal(Fault::checkpoint, [&] { RunDir::open(folder.path()); }).find("has no args.yml"),
      std::string::npos);
  EXPECT_FALSE(fs::exists(folder / ".lock"));

  const RunDir run = RunDir::create(folder.path(), "demo");
  put(run.args());
  const std::string message = refusal(Fault::checkpoint, [&] { RunDir::open(run.checkpoints()); });
  EXPECT_NE(message.find("try: " + run.path().string()), std::string::npos) << message;
}

TEST(RunDir, ALockIsNotTakenThroughALink) {
  const test::TempFolder folder;
  put(folder / "precious");
  fs::create_directory(folder / "demo");
  put(folder / "demo/args.yml");
  fs::create_symlink(folder / "precious", folder / "demo/.lock");
  const std::string message = refusal(Fault::usage, [&] { RunDir::open(folder / "demo"); });
  EXPECT_NE(message.find(".lock is a link"), std::string::npos) << message;
  EXPECT_EQ(read_file(folder / "precious", Fault::bug), "x");
}

TEST(RunDir, WhatIsTakenBackIsOnlyWhatAStartMakes) {
  const test::TempFolder folder;
  const auto begin = [&] {
    RunDir run = RunDir::create(folder.path(), "demo");
    run.record("given: []\n");
    put(run.metrics());
    return run;
  };
  begin().take_back();
  EXPECT_FALSE(fs::exists(folder / "demo"));

  const RunDir with_work = begin();
  fs::create_directory(with_work.checkpoints() / "step-0000001");
  put(with_work.path() / "notes.txt");
  with_work.take_back();
  EXPECT_TRUE(fs::exists(with_work.checkpoints() / "step-0000001"));
  EXPECT_TRUE(fs::exists(with_work.path() / "notes.txt"));
  fs::remove_all(with_work.path());

  // Under its name there is another folder by now.
  const RunDir renamed = begin();
  fs::rename(folder / "demo", folder / "elsewhere");
  fs::create_directory(folder / "demo");
  renamed.take_back();
  EXPECT_TRUE(fs::exists(folder / "demo"));

  const RunDir opened = [&] {
    begin();
    return RunDir::open(folder / "demo-2");
  }();
  opened.take_back();
  EXPECT_TRUE(fs::exists(opened.args()));
}

TEST(RunDir, KnowsWhereItIsWhenItWasRenamedOrRemoved) {
  const test::TempFolder folder;
  RunDir run = RunDir::create(folder.path(), "demo");
  run.record("given: []\n");
  EXPECT_TRUE(run.is_in_place());
  EXPECT_EQ(run.place(), fs::canonical(folder / "demo"));
  fs::rename(folder / "demo", folder / "elsewhere");
  EXPECT_FALSE(run.is_in_place());
  EXPECT_EQ(run.place(), fs::canonical(folder / "elsewhere"));
  fs::create_directory(folder / "demo");  // another one
  EXPECT_FALSE(run.is_in_place());
  fs::remove_all(folder / "elsewhere");
  EXPECT_FALSE(run.place());
  const RunDir beside = run.rescued();
  EXPECT_EQ(beside.path(), folder / "demo-rescued");
  EXPECT_EQ(read_file(beside.args(), Fault::bug), "given: []\n");
}

TEST(RunDir, WhatAKilledProcessLeftHalfWrittenGoesWhenTheRunIsOpened) {
  const test::TempFolder folder;
  {
    RunDir run = RunDir::create(folder.path(), "demo");
    run.record("given: []\n");
  }
  const fs::path left = temporary_name(folder / "demo/weights/best.safetensors");
  put(left);
  RunDir::open(folder / "demo");
  EXPECT_FALSE(fs::exists(left));
}

TEST(RunDir, AFullDiskIsNoSpace) {
  const test::SmallDisk disk(64, 3);
  if (!disk.why_not().empty()) GTEST_SKIP() << disk.why_not();
  const std::string message =
      refusal(Fault::no_space, [&] { RunDir::create(disk.path(), "demo"); });
  EXPECT_NE(message.find("No space left on device; try: "), std::string::npos) << message;
}

}  // namespace
}  // namespace convoy
