// `convoy check` on folders with every defect, one by one and together.

#include <gtest/gtest.h>
#include <sys/stat.h>

#include "pictures/files.h"
#include "support/run_files.h"
#include "support/shared_data.h"
#include "support/tiny_sets.h"

namespace convoy::test {
namespace {

constexpr int fine = 0, usage = 2, wrong = 3;

// A picture that no other number gives.
std::string photo(int number) {
  Pixels pixels{{0, 0, 40, 36}, {}};
  for (int i = 0; i < 40 * 36; ++i) {
    for (int c = 0; c < 4; ++c) {
      pixels.bytes.push_back(static_cast<uint8_t>(number * 37 + i * (c + 1) / 9));
    }
  }
  return encode_jpeg(pixels, 90);
}

class Folder {
 public:
  // Two splits of two classes, with nothing to complain about.
  Folder() {
    int number = 0;
    for (const char* split : {"train", "val"}) {
      for (const char* label : {"cat", "dog"}) {
        for (int i = 0; i < 3; ++i) {
          put(fmt::format("data/{}/{}/{}.jpg", split, label, i), photo(number++));
        }
      }
    }
  }
  void put(const std::string& path, const std::string& bytes) const {
    fs::create_directories((root_ / path).parent_path());
    write_bytes(root_ / path, bytes);
  }
  Finished check(const Arguments& more = {}) const {
    return run_convoy(joined({"check", "data"}, more), root_.path());
  }
  Json found(int code) const {
    const Finished end = check({"--json"});
    EXPECT_EQ(end.code, code) << end.out << end.err;
    EXPECT_EQ(end.err, "");
    const Json all = Json::parse(end.out, nullptr, false);
    EXPECT_TRUE(all.is_object()) << end.out;
    EXPECT_EQ(all.at("wrong"), code == wrong);
    return all;
  }
  // Only this kind of finding is there, and these are its files.
  void expect(int code, const std::string& kind, const std::vector<std::string>& files) const {
    const Json all = found(code);
    for (const auto& [key, list] : all.at("findings").items()) {
      std::vector<std::string> names;
      for (const Json& entry : list) names.push_back(entry.at("file"));
      EXPECT_EQ(names, key == kind ? files : std::vector<std::string>()) << key;
    }
  }
  const fs::path& path() const { return root_.path(); }
  fs::path data() const { return root_ / "data"; }

 private:
  TempFolder root_;
};

TEST(Check, ASoundFolderIsFine) {
  const Folder folder;
  folder.expect(fine, "", {});
  const Finished end = folder.check();
  EXPECT_EQ(end.code, fine);
  EXPECT_NE(end.out.find("data: 12 files, 12 pictures"), end.out.npos) << end.out;
  EXPECT_NE(end.out.find("train: 6 pictures in 2 classes, 3 each"), end.out.npos) << end.out;
  EXPECT_TRUE(end.out.ends_with("\nnothing is wrong\n")) << end.out;
  EXPECT_EQ(folder.found(fine).at("splits").at("val").at("dog"), 3);
}

TEST(Check, BrokenFilesAreWrongAndSayWhy) {
  const Folder folder;
  folder.put("data/train/cat/empty.jpg", "");
  folder.put("data/train/dog/half.jpg", picture_bytes("flower.jpg").substr(0, 20000));
  folder.put("data/val/cat/page.jpg", "<html>not found</html>");
  folder.expect(wrong, "broken", {"train/cat/empty.jpg", "train/dog/half.jpg", "val/cat/page.jpg"});
  const Finished end = folder.check();
  for (const char* words :
       {"broken: 3", "train/cat/empty.jpg: the file is empty", "half.jpg: Premature end",
        "page.jpg: it is a web page", "\nwrong: broken: 3\n"}) {
    EXPECT_NE(end.out.find(words), end.out.npos) << words << " is not in\n" << end.out;
  }
}

TEST(Check, ClassesMustBeInBothSplitsAndHavePictures) {
  const Folder folder;
  fs::create_directories(folder.data() / "train/cow");
  fs::create_directories(folder.data() / "val/cow");
  folder.put("data/val/cow/0.jpg", photo(50));
  folder.expect(wrong, "empty_classes", {"train/cow"});
  fs::remove(folder.data() / "train/cow");
  folder.expect(wrong, "unmatched_classes", {"val/cow"});
  folder.put("data/train/emu/0.jpg", photo(51));
  folder.expect(wrong, "unmatched_classes", {"val/cow", "train/emu"});
}

TEST(Check, PicturesInTwoSplitsAreWrongAndTwiceInOneWorthKnowing) {
  const Folder folder;
  folder.put("data/train/dog/again.jpg", photo(0));
  folder.expect(fine, "duplicates", {"train/dog/again.jpg"});
  const Json twice = folder.found(fine).at("findings").at("duplicates").at(0);
  EXPECT_EQ(twice.at("other"), "train/cat/0.jpg");
  EXPECT_EQ(twice.at("what"), "the same bytes, another class");
  fs::remove(folder.data() / "train/dog/again.jpg");
  // The same pixels in another coding.
  std::string commented = photo(0);
  commented.insert(2, std::string("\xff\xfe\0\4hi", 6));
  folder.put("data/val/cat/9.jpg", commented);
  folder.expect(wrong, "across_splits", {"val/cat/9.jpg"});
  const Json leak = folder.found(wrong).at("findings").at("across_splits").at(0);
  EXPECT_EQ(leak.at("other"), "train/cat/0.jpg");
  EXPECT_EQ(leak.at("what"), "the same pixels");
}

TEST(Check, TellsWhatIsWorthKnowing) {
  const std::string grey_png = picture_bytes("grey_alpha.png");
  struct Case {
    std::string kind, name, bytes;
  };
  std::string junk = photo(60);
  junk.insert(20, "junk!");  // behind the first segment
  for (const Case& c :
       {Case{"endings", "train/cat/x.jpg", picture_bytes("palette.png")},
        Case{"endings", "train/cat/x.dat", photo(61)},
        Case{"no_pictures", "train/cat/notes.txt", "notes"},
        Case{"unlabelled", "train/x.jpg", photo(62)}, Case{"remarks", "val/dog/x.jpg", junk},
        Case{"trailing", "val/dog/x.jpg", photo(63) + "garbage"},
        Case{"small", "val/dog/x.jpg", picture_bytes("one_pixel.jpg")},
        Case{"turned", "val/dog/x.jpg", picture_bytes("turned.jpg")},
        Case{"cmyk", "val/dog/x.jpg", picture_bytes("cmyk.jpg")},
        Case{"grey", "val/dog/x.png", grey_png},
        Case{"endings", "val/dog/x.bmp", picture_bytes("lossy.webp")},
        Case{"remarks", "val/dog/x.tif", picture_bytes("pages.tif")},
        Case{"turned", "val/dog/x.webp", picture_bytes("turned.webp")},
        Case{"grey", "val/dog/x.jpg", picture_bytes("grey.jpg")}}) {
    SCOPED_TRACE(c.kind);
    const Folder folder;
    folder.put("data/" + c.name, c.bytes);
    folder.put("data/train/.hidden.jpg", "hidden");
    folder.expect(fine, c.kind, {c.name});
  }
}

TEST(Check, AnyTreeOfPicturesWillDo) {
  const Folder folder;
  fs::remove_all(folder.data());
  for (int i = 0; i < 3; ++i) folder.put(fmt::format("data/{}.jpg", i), photo(i));
  folder.expect(fine, "", {});
  folder.put("data/deep/below/here.jpg", photo(9));
  const Json all = folder.found(fine);
  EXPECT_EQ(all.at("pictures"), 4);
  EXPECT_EQ(all.at("splits").at("").at("deep"), 1);
}

TEST(Check, ALinkThatLeadsInACircleIsWrong) {
  const Folder folder;
  fs::create_directory_symlink("..", folder.data() / "val/cat/circle");
  folder.expect(wrong, "circles", {"val/cat/circle"});
  fs::remove(folder.data() / "val/cat/circle");
  fs::create_symlink("self.jpg", folder.data() / "val/cat/self.jpg");
  folder.expect(wrong, "broken", {"val/cat/self.jpg"});
}

// Decoding does not need the last bytes; a transfer that lost them lost perhaps more.
TEST(Check, APictureWithoutItsEndIsWrong) {
  const Folder folder;
  const std::string jpeg = photo(70), png = picture_bytes("palette.png");
  folder.put("data/train/dog/x.jpg", jpeg.substr(0, jpeg.size() - 2));
  folder.expect(wrong, "cut_off", {"train/dog/x.jpg"});
  fs::remove(folder.data() / "train/dog/x.jpg");
  folder.put("data/train/dog/x.png", png.substr(0, png.size() - 12));
  const Json found = folder.found(wrong).at("findings");
  EXPECT_EQ(found.at("cut_off").size() + found.at("broken").size(), 1u);
}

TEST(Check, APipeIsBrokenAndNotWaitedFor) {
  const Folder folder;
  ASSERT_EQ(::mkfifo((folder.data() / "val/dog/pipe.jpg").c_str(), 0600), 0);
  folder.expect(wrong, "broken", {"val/dog/pipe.jpg"});
}

TEST(Check, TheManifestHasEveryFileAndDependsOnNothingElse) {
  const Folder folder;
  folder.put("data/train/cat/empty.jpg", "");
  folder.put("data/train/cat/with\ttab.png", picture_bytes("palette.png"));
  std::string first;
  for (const char* threads : {"1", "3"}) {
    const Finished end = folder.check({"--threads", threads, "--manifest", "list.tsv", "--json"});
    EXPECT_EQ(end.code, wrong) << end.err;
    const std::string both = end.out + read_file(folder.path() / "list.tsv", Fault::bug);
    if (first.empty()) first = both;
    EXPECT_EQ(both, first) << threads;
  }
  const auto lines = lines_of(read_file(folder.path() / "list.tsv", Fault::bug));
  ASSERT_EQ(lines.size(), 15u);
  EXPECT_EQ(lines[0], "path\tbytes\thash\twidth\theight\tcomponents\tlabel");
  const std::string bytes = photo(0);
  EXPECT_EQ(lines[1], fmt::format("train/cat/0.jpg\t{}\t{}\t40\t36\t3\tcat", bytes.size(),
                                  hash_hex(hash_bytes(bytes))));
  EXPECT_EQ(lines[4], "train/cat/empty.jpg\t0\t2d06800538d394c2\t0\t0\t0\tcat");
  EXPECT_TRUE(lines[5].starts_with("train/cat/with\\ttab.png\t")) << lines[5];
}

TEST(Check, RefusesWhatItCannotDo) {
  const Folder folder;
  const auto refused = [&](const Arguments& arguments, int code, const std::string& words) {
    const Finished end = run_convoy(arguments, folder.path());
    EXPECT_EQ(end.code, code) << end.err;
    EXPECT_NE(end.err.find(words), end.err.npos) << end.err;
    EXPECT_EQ(lines_of(end.err).size(), 1u) << end.err;
  };
  refused({"check"}, usage, "DIR");
  refused({"check", "nowhere"}, wrong, "there is no folder nowhere");
  refused({"check", "data", "--manifest", "data/train/list.tsv"}, usage, "in the folder");
  fs::create_directories(folder.path() / "void");
  refused({"check", "void"}, wrong, "void is empty");
  EXPECT_FALSE(fs::exists(folder.data() / "train/list.tsv"));
}

TEST(Check, RealEdgeCasesAreToldApart) {
  const auto shared = shared_data("fixtures/jpeg");
  if (!shared) GTEST_SKIP();
  const TempFolder folder;
  const Finished end = run_convoy({"check", shared->string(), "--json"}, folder.path());
  EXPECT_EQ(end.code, wrong) << end.err;
  const Json all = Json::parse(end.out);
  const auto count = [&](const char* kind) { return all.at("findings").at(kind).size(); };
  EXPECT_EQ(all.at("pictures"), 50);
  EXPECT_EQ(count("broken"), 10u);
  EXPECT_EQ(count("cmyk"), 2u);
  EXPECT_EQ(count("sixteen_bit"), 1u);
  EXPECT_EQ(count("turned"), 8u);
  EXPECT_EQ(count("remarks"), 3u);
  EXPECT_EQ(count("small"), 5u);
  EXPECT_EQ(count("grey"), 6u);
  EXPECT_EQ(count("no_pictures"), 4u);
  EXPECT_EQ(count("across_splits"), 0u);
}

}  // namespace
}  // namespace convoy::test
