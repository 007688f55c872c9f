#include "records/tar.h"

#include <gtest/gtest.h>

#include <cstdlib>

#include "support/raises.h"
#include "support/tar_writer.h"
#include "support/temp_folder.h"
#include "support/tiny_sets.h"

namespace convoy::test {
namespace {

const std::vector<TarPart> parts{
    {"a/", "", '5'},   {"a/one.JPEG", "first picture"},
    {"link", "", '2'}, {std::string(150, 'n') + ".JPEG", std::string(5000, 'x')},
    {"empty", ""},     {"last", std::string(512, 'l')}};

std::vector<TarMember> members_of(const fs::path& path) {
  return tar_members(RandomFile(path, Fault::data));
}

TEST(Tar, FilesAreListedWithTheirPlaces) {
  const TempFolder folder;
  write_bytes(folder / "x.tar", tar_of(parts));
  const RandomFile file(folder / "x.tar", Fault::data);
  const std::vector<TarMember> members = tar_members(file);
  ASSERT_EQ(members.size(), 4u);
  size_t at = 0;
  for (const TarPart& part : parts) {
    if (part.type != '0') continue;
    EXPECT_EQ(members[at].name, part.name);
    EXPECT_EQ(file.read(members[at].offset, static_cast<size_t>(members[at].bytes)), part.content);
    ++at;
  }
}

TEST(Tar, ATarInsideATarIsAPartOfTheFile) {
  const TempFolder folder;
  const std::string inner = tar_of({{"n1_1.JPEG", "eins"}, {"n1_2.JPEG", "zwei"}});
  write_bytes(folder / "x.tar", tar_of({{"n0.tar", tar_of({})}, {"n1.tar", inner}}));
  const RandomFile file(folder / "x.tar", Fault::data);
  const std::vector<TarMember> outer = tar_members(file);
  ASSERT_EQ(outer.size(), 2u);
  EXPECT_TRUE(tar_members(file, outer[0].offset, outer[0].bytes, "n0.tar").empty());
  const auto pictures = tar_members(file, outer[1].offset, outer[1].bytes, "n1.tar");
  ASSERT_EQ(pictures.size(), 2u);
  EXPECT_EQ(pictures[1].name, "n1_2.JPEG");
  EXPECT_EQ(file.read(pictures[1].offset, 4), "zwei");
}

// What the system's tar makes of long names, in each of its formats.
TEST(Tar, FilesOfTheProgramTarAreRead) {
  const TempFolder folder;
  const std::string name(120, 'q');
  fs::create_directories(folder / "in");
  write_bytes(folder / "in" / name, std::string(1000, 'q'));
  write_bytes(folder / "in/b", "bee");
  for (const char* format : {"gnu", "pax", "oldgnu"}) {
    const std::string command = fmt::format("tar --format={} -C {} -cf {} .", format,
                                            (folder / "in").string(), (folder / "x.tar").string());
    ASSERT_EQ(std::system(command.c_str()), 0);
    const RandomFile file(folder / "x.tar", Fault::data);
    size_t found = 0;
    for (const TarMember& member : tar_members(file)) {
      const fs::path plain = fs::path(member.name).filename();
      EXPECT_EQ(file.read(member.offset, static_cast<size_t>(member.bytes)),
                read_file(folder / "in" / plain, Fault::bug))
          << format;
      ++found;
    }
    EXPECT_EQ(found, 2u) << format;
  }
}

TEST(Tar, EveryCutIsFound) {
  const TempFolder folder;
  const std::string whole = tar_of(parts);
  for (size_t length = 0; length < whole.size(); length += 256) {
    write_bytes(folder / "x.tar", whole.substr(0, length));
    expect_raises(Fault::data, {"x.tar", "; try: "}, [&] { members_of(folder / "x.tar"); });
  }
}

TEST(Tar, WhatIsNoTar) {
  const TempFolder folder;
  const auto refused = [&](const std::string& bytes, std::string_view words) {
    write_bytes(folder / "x.tar", bytes);
    expect_raises(Fault::data, {"x.tar", words, "; try: "}, [&] { members_of(folder / "x.tar"); });
  };
  refused(gzip(tar_of(parts)), "compressed");
  refused(std::string(4096, 'x'), "no sound tar");
  std::string damaged = tar_of(parts);
  damaged[512 + 130] = '7';  // in the size of the second header
  refused(damaged, "no sound tar");
  expect_raises(Fault::data, {"No such file"}, [&] { members_of(folder / "missing"); });
}

}  // namespace
}  // namespace convoy::test
