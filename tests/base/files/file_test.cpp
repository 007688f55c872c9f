#include "base/files/file.h"

#include <gtest/gtest.h>

#include <array>
#include <cerrno>
#include <fstream>

namespace convoy {
namespace {

class File : public testing::Test {
 protected:
  void SetUp() override {
    std::string pattern = (fs::temp_directory_path() / "convoy-file-XXXXXX").string();
    ASSERT_NE(::mkdtemp(pattern.data()), nullptr);
    folder_ = pattern;
  }
  void TearDown() override { fs::remove_all(folder_); }

  std::vector<std::string> names() const {
    std::vector<std::string> all;
    for (const auto& entry : fs::directory_iterator(folder_))
      all.push_back(entry.path().filename().string());
    std::sort(all.begin(), all.end());
    return all;
  }

  // The fault and the message of what `action` throws.
  template <class Action>
  static std::pair<Fault, std::string> failure(const Action& action) {
    try {
      action();
    } catch (const Error& e) {
      return {e.fault(), e.what()};
    }
    ADD_FAILURE() << "nothing was thrown";
    return {};
  }

  fs::path folder_;
};

TEST_F(File, AnAtomicWriteReplacesTheWholeContent) {
  const fs::path path = folder_ / "a.txt";
  write_atomically(path, "a long first content", Fault::checkpoint);
  EXPECT_EQ(read_file(path, Fault::data), "a long first content");
  write_atomically(path, "short", Fault::checkpoint);
  EXPECT_EQ(read_file(path, Fault::data), "short");
  EXPECT_EQ(names(), std::vector<std::string>{"a.txt"});
  const std::string zeros(3, '\0');
  write_atomically(path, zeros, Fault::checkpoint);
  EXPECT_EQ(read_file(path, Fault::data), zeros);
}

TEST_F(File, AFailedAtomicWriteLeavesTheOldContentAndNothingElse) {
  const auto [fault, message] =
      failure([&] { write_atomically(folder_ / "missing" / "a.txt", "x", Fault::checkpoint); });
  EXPECT_EQ(fault, Fault::checkpoint);
  EXPECT_NE(message.find("missing"), std::string::npos) << message;
  // A folder is in the way: only the last step, the rename, fails.
  fs::create_directories(folder_ / "taken" / "inner");
  failure([&] { write_atomically(folder_ / "taken", "x", Fault::checkpoint); });
  EXPECT_EQ(names(), std::vector<std::string>{"taken"});
}

TEST_F(File, AFullDiskAndTooLargeAFileAreNoSpace) {
  for (const int reason : {ENOSPC, EDQUOT, EFBIG}) {
    const auto [fault, message] =
        failure([&] { raise_file_error("write", "a/b", reason, Fault::checkpoint, "something"); });
    EXPECT_EQ(fault, Fault::no_space);
    EXPECT_TRUE(message.starts_with("cannot write a/b: ")) << message;
    EXPECT_NE(message.find("; try: "), std::string::npos) << message;
    EXPECT_EQ(message.find("something"), std::string::npos) << message;
  }
  const auto [fault, message] =
      failure([] { raise_file_error("write", "a/b", EIO, Fault::checkpoint, "something"); });
  EXPECT_EQ(fault, Fault::checkpoint);
  EXPECT_EQ(message, "cannot write a/b: Input/output error; try: something");
}

TEST_F(File, ANewFileIsNeverWrittenThroughALinkOrOverAnother) {
  const auto write = [&](const fs::path& path) {
    write_synced(path, std::array{std::string_view("new")}, Fault::checkpoint);
  };
  write(folder_ / "precious");
  fs::create_symlink(folder_ / "precious", folder_ / "link");
  fs::create_symlink(folder_ / "nothing", folder_ / "dangling");
  for (const char* name : {"precious", "link", "dangling"}) {
    EXPECT_EQ(failure([&] { write(folder_ / name); }).first, Fault::checkpoint) << name;
  }
  EXPECT_FALSE(fs::exists(folder_ / "nothing"));
}

TEST_F(File, WritesPartsOneAfterAnother) {
  const fs::path path = folder_ / "parts";
  write_synced(path, std::array<std::string_view, 3>{"ab", "", "cde"}, Fault::checkpoint);
  EXPECT_EQ(read_file(path, Fault::data), "abcde");
}

TEST_F(File, AMissingFileIsTheCallersFault) {
  for (const Fault wanted : {Fault::data, Fault::usage}) {
    const auto [fault, message] = failure([&] { read_file(folder_ / "none", wanted); });
    EXPECT_EQ(fault, wanted);
    EXPECT_NE(message.find("none"), std::string::npos);
  }
  failure([&] { read_file(folder_, Fault::data); });  // a folder is no file
}

TEST_F(File, AFolderIsCommittedByItsName) {
  make_folders(folder_ / "tmp", Fault::checkpoint);
  write_synced(folder_ / "tmp" / "x", std::array{std::string_view("1")}, Fault::checkpoint);
  commit_folder(folder_ / "tmp", folder_ / "step-1", Fault::checkpoint);
  EXPECT_EQ(names(), std::vector<std::string>{"step-1"});
  EXPECT_EQ(read_file(folder_ / "step-1" / "x", Fault::data), "1");
}

TEST_F(File, ALinkIsReplacedInOneStep) {
  make_folders(folder_ / "one", Fault::checkpoint);
  make_folders(folder_ / "two", Fault::checkpoint);
  replace_link(folder_ / "last", "one", Fault::checkpoint);
  EXPECT_EQ(fs::read_symlink(folder_ / "last"), "one");
  replace_link(folder_ / "last", "two", Fault::checkpoint);
  EXPECT_EQ(fs::read_symlink(folder_ / "last"), "two");
  EXPECT_EQ(names(), (std::vector<std::string>{"last", "one", "two"}));
}

TEST_F(File, AFolderThatCannotBeMadeIsNamed) {
  write_atomically(folder_ / "file", "x", Fault::checkpoint);
  const auto [fault, message] =
      failure([&] { make_folders(folder_ / "file" / "below", Fault::usage); });
  EXPECT_EQ(fault, Fault::usage);
  EXPECT_NE(message.find("below"), std::string::npos) << message;
}

TEST(Hash, IsXxh3) {
  EXPECT_EQ(hash_hex(hash_bytes("")), "2d06800538d394c2");  // published for the empty input
  EXPECT_EQ(hash_hex(1), "0000000000000001");
}

}  // namespace
}  // namespace convoy
