#include "app/prepare/boxes/boxed_set.h"

#include <algorithm>
#include <set>

#include "app/prepare/bad_pictures.h"
#include "app/prepare/boxes/tidy_boxes.h"
#include "base/show.h"
#include "base/text/text.h"
#include "config/value.h"
#include "data/boxed/picture_size.h"
#include "data/sources/data_folder.h"

namespace convoy {
namespace {

// Faults of annotations count as broken pictures.
class CountFaults final : public BoxFaultTaker {
 public:
  explicit CountFaults(BadPictures& bad) : bad_(bad), progress_("reading", 0) {}
  void take(const std::string& picture, const std::vector<BoxFault>& faults) override {
    bad_.survives([&] { RaiseBoxFaults().take(picture, faults); }, progress_);
    ++count_;
  }
  int64_t count() const { return count_; }

 private:
  BadPictures& bad_;
  SharedProgress progress_;
  int64_t count_ = 0;
};

class SetReader {
 public:
  SetReader(const PrepareSite& site, const BoxedSetSpec& spec)
      : site_(site), spec_(spec), bad_(site.options.max_bad), faults_(bad_) {}

  BoxedSet run() {
    read();
    BoxedSet set;
    std::vector<BoxedSplit*> all;
    for (SplitToWrite& one : splits_) all.push_back(&one.read);
    set.classes = join_classes(all);
    for (const CocoCategory& one : set.classes) expect_plain(one.name, "a class");
    for (SplitToWrite& one : splits_) {
      check_pictures(one);
      name_pictures(one);
      tell(one, tidy(one.read));
    }
    set.splits = std::move(splits_);
    set.left_out = left_out_ + faults_.count();
    if (set.left_out > 0) show("{} pictures left out\n", with_commas(set.left_out));
    return set;
  }

 private:
  void read() {
    const fs::path dir = site_.options.input;
    const BoxReading how{.faults = faults_,
                         .upright = spec_.from.upright,
                         .as_written = true,
                         .threads = site_.options.threads};
    const std::vector<SplitName> there = spec_.from.splits(dir);
    if (spec_.val_share == 0) {
      for (const SplitName split : there) {
        // A set without splits is for training, until a share of it is taken for evaluation.
        const SplitName name = split == SplitName::whole ? SplitName::train : split;
        splits_.push_back({.split = name, .read = spec_.from.read(dir, split, how)});
      }
      return;
    }
    if (there.size() > 1) {
      raise(Fault::usage, "--val-share is for a set without splits, but {} has {}; try: without it",
            dir.string(), there.size());
    }
    const BoxedSplit all = spec_.from.read(dir, there.front(), how);
    for (const bool train : {true, false}) {
      splits_.push_back({.split = train ? SplitName::train : SplitName::val,
                         .read = share_of(all, train, spec_.val_share)});
    }
  }

  // Reads all headers: what cannot be a picture, or is one of another size, is left out.
  void check_pictures(SplitToWrite& one) {
    const BoxedSplit& split = one.read;
    const size_t count = split.pictures.size();
    std::vector<char> is_bad(count);  // written by several threads
    std::vector<PictureForm> forms(count);
    SharedProgress progress("checking", static_cast<int64_t>(count));
    site_.pool.run(static_cast<int>(count), [&](int task, int) {
      const auto i = static_cast<size_t>(task);
      const std::string path = (split.folder / split.pictures[i].file).string();
      is_bad[i] = !bad_.survives(
          [&] {
            const PictureInfo info = read_picture_info(path);
            forms[i] = form_of(info, split.pictures[i], path,
                               {.from = spec_.from.upright, .to = spec_.upright_to});
          },
          progress);
      progress.add(1);
    });
    for (size_t i = 0; i < count; ++i) {
      if (!is_bad[i]) one.forms.push_back(forms[i]);
    }
    left_out_ += std::ranges::count(is_bad, 1);
    leave_out(one.read, std::vector<bool>(is_bad.begin(), is_bad.end()));
  }

  void name_pictures(SplitToWrite& one) const {
    std::set<std::string> known;
    for (size_t i = 0; i < one.read.pictures.size(); ++i) {
      fs::path name = one.read.pictures[i].file;
      if (name.is_absolute()) name = name.filename();
      // A picture that is encoded anew is a JPEG.
      const std::string ending = name.extension().string();
      const bool is_jpeg = ending == ".jpg" || ending == ".jpeg" || ending == ".JPG";
      if (one.forms[i] != PictureForm::as_is && !is_jpeg) name.replace_extension(".jpg");
      expect_plain(name.string(), "a picture");
      if (!known.insert(name.string()).second) {
        raise(Fault::data, "{}: two pictures have the name {}; try: other names",
              one.read.folder.string(), name.string());
      }
      one.names.push_back(name.string());
    }
  }

  // Formats of text cannot hold all names.
  void expect_plain(const std::string& name, std::string_view whose) const {
    const bool has_control =
        std::ranges::any_of(name, [](unsigned char c) { return c < 0x20 || c == 0x7f; });
    if (is_plain_utf8(name) && !has_control) return;
    raise(Fault::data, "{}: {} has the name {:?}, which is not plain text; try: another name",
          site_.options.input, whose, name);
  }

  void tell(const SplitToWrite& one, const TidyCounts& counts) const {
    std::vector<std::string> left;
    const auto add = [&](int64_t count, std::string_view what) {
      if (count > 0) left.push_back(fmt::format("{} {}", with_commas(count), what));
    };
    add(counts.empty, "boxes of no size inside their picture are left out");
    add(counts.repeated, "exact repetitions of boxes are left out");
    add(counts.cut, "boxes are cut to their picture");
    if (counts.crowds > 0) add(counts.crowds, "are crowds or difficult");
    show("{}: {} pictures, {} without boxes, {} boxes of {} classes{}{}\n", word_of(one.split),
         with_commas(std::ssize(one.read.pictures)), with_commas(one.read.bare()),
         with_commas(std::ssize(one.read.objects)), one.read.categories.size(),
         left.empty() ? "" : "; ", join(left, ", "));
    std::fflush(stdout);
  }

  const PrepareSite& site_;
  const BoxedSetSpec& spec_;
  BadPictures bad_;
  CountFaults faults_;
  std::vector<SplitToWrite> splits_;
  int64_t left_out_ = 0;
};

}  // namespace

BoxedSet read_boxed_set(const PrepareSite& site, const BoxedSetSpec& spec) {
  return SetReader(site, spec).run();
}

}  // namespace convoy
