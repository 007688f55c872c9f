#include <gtest/gtest.h>

#include <cerrno>

#include "base/files/file.h"
#include "support/process.h"
#include "support/raises.h"

namespace convoy {
namespace {

using test::expect_raises;

TEST(FileTrouble, AMissingFolderIsNamedAndNotTheTemporaryFile) {
  const test::TempFolder folder;
  const fs::path missing = folder / "no/such/x.onnx";
  for (const auto write : {+[](const fs::path& path) { write_atomically(path, "", Fault::usage); },
                           +[](const fs::path& path) { read_file(path, Fault::usage); }}) {
    try {
      write(missing);
      FAIL();
    } catch (const Error& error) {
      const std::string said = error.what();
      EXPECT_NE(said.find("there is no folder " + (folder / "no").string() + "; try: make it"),
                std::string::npos)
          << said;
      EXPECT_EQ(said.find(".tmp"), std::string::npos) << said;
    }
  }
}

TEST(FileTrouble, EveryUsualReasonSaysWhatToTry) {
  for (const int reason : {ENOENT, EACCES, EROFS, EISDIR, ENOTDIR, ENAMETOOLONG}) {
    expect_raises(Fault::data, {"cannot read /x: ", "; try: "},
                  [&] { raise_file_error("read", "/x", reason, Fault::data); });
  }
  for (const int reason : {ENOSPC, EDQUOT}) {
    expect_raises(Fault::no_space, {"cannot write /x: ", "try: free some disk space"},
                  [&] { raise_file_error("write", "/x", reason, Fault::data); });
  }
}

}  // namespace
}  // namespace convoy
