#include "base/files/regular_file.h"

#include <gtest/gtest.h>
#include <sys/socket.h>
#include <sys/stat.h>
#include <sys/un.h>
#include <unistd.h>

#include <cstring>

#include "base/files/random_file.h"
#include "support/raises.h"
#include "support/temp_folder.h"
#include "support/tiny_sets.h"

namespace convoy {
namespace {

using test::expect_raises;
using test::TempFolder;

TEST(RegularFile, APipeIsRefusedAtOnceByEveryReader) {
  const TempFolder folder;
  const fs::path pipe = folder / "pipe";
  ASSERT_EQ(::mkfifo(pipe.c_str(), 0600), 0);
  for (const Fault fault : {Fault::usage, Fault::data, Fault::checkpoint}) {
    expect_raises(fault, {"pipe", "it is a pipe", "try: "}, [&] { read_file(pipe, fault); });
    expect_raises(fault, {"pipe", "it is a pipe"}, [&] { RandomFile(pipe, fault); });
    expect_raises(fault, {"pipe", "it is a pipe"}, [&] { regular_bytes(pipe, fault); });
  }
  expect_raises(Fault::usage, {"pipe"}, [&] {
    const std::string_view part = "x";
    write_synced(pipe, {&part, 1}, Fault::usage);
  });
}

TEST(RegularFile, DevicesAndSocketsAreRefused) {
  const TempFolder folder;
  expect_raises(Fault::data, {"/dev/zero", "a device"},
                [] { read_file("/dev/zero", Fault::data); });
  sockaddr_un address{};
  address.sun_family = AF_UNIX;
  const std::string path = (folder / "socket").string();
  std::strncpy(address.sun_path, path.c_str(), sizeof address.sun_path - 1);
  const int socket = ::socket(AF_UNIX, SOCK_STREAM, 0);
  ASSERT_EQ(::bind(socket, reinterpret_cast<const sockaddr*>(&address), sizeof address), 0);
  expect_raises(Fault::data, {"socket", "a socket"}, [&] { read_file(path, Fault::data); });
  ::close(socket);
}

TEST(RegularFile, ALinkToAFileIsThatFile) {
  const TempFolder folder;
  test::write_bytes(folder / "file", "12345");
  fs::create_symlink("file", folder / "link");
  EXPECT_EQ(regular_bytes(folder / "link", Fault::data), 5u);
  EXPECT_EQ(read_file(folder / "link", Fault::data), "12345");
}

}  // namespace
}  // namespace convoy
