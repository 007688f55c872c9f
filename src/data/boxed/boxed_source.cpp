#include "data/boxed/boxed_source.h"

#include <algorithm>

#include "base/error.h"
#include "base/text/text.h"
#include "data/objects.h"
#include "data/sources/data_file.h"

namespace convoy {
namespace {

class BoxedSource final : public PictureSource {
 public:
  BoxedSource(BoxedSplit split, bool train) : split_(std::move(split)), train_(train) {
    for (const BoxedPicture& picture : split_.pictures) {
      if (!train || picture.usable > 0) used_.push_back(&picture);
    }
    std::ranges::stable_sort(used_, {}, &BoxedPicture::file);
    expect_pictures();
    if (used_.empty()) {
      raise(Fault::data, "none of the {} pictures of {} has a usable box{}; try: other annotations",
            split_.pictures.size(), split_.folder.string(), besides());
    }
  }

  int64_t size() const override { return static_cast<int64_t>(used_.size()); }
  std::vector<std::string> class_names() const override {
    return class_names_of(split_.categories);
  }
  bool has_objects() const override { return true; }

  std::string remark() const override {
    if (!train_) return "";
    std::string text;
    if (const int64_t bare = split_.bare()) {
      text = fmt::format("{} of {} pictures have no usable box, and training leaves them out",
                         with_commas(bare), with_commas(static_cast<long long>(count())));
    }
    const std::string unusable = split_.unusable();
    if (unusable.empty()) return text;
    return (text.empty() ? "training leaves out: " : text + "; so are ") + unusable;
  }

  int64_t decoded_bytes() const override {
    int64_t sum = 0;
    for (const BoxedPicture* picture : used_) sum += picture->width * picture->height * 4;
    return sum;
  }
  std::string origin(int64_t index) const override {
    return (split_.folder / at(index).file).string();
  }
  KeptSample kept(int64_t index) const override {
    std::error_code code;
    const uint64_t bytes = fs::file_size(origin(index), code);  // the read reports errors
    return {at(index).file, code ? 0 : bytes};
  }
  void announce_read(int64_t index) const override { announce_read_of(origin(index)); }

  void read(int64_t index, EncodedPicture& picture) const override {
    const BoxedPicture& described = at(index);
    picture.bytes = read_file(origin(index), Fault::data);
    picture.boxes.clear();
    PictureObjects& objects = picture.objects;
    objects.classes.clear();
    objects.truth.clear();
    objects.image_id = described.id;
    objects.width = described.width;
    objects.height = described.height;
    for (const BoxedObject& object : split_.objects_of(described)) {
      add_truth(object, objects);
      if (!object.is_usable) continue;
      picture.boxes.push_back(box_of(object, described));
      objects.classes.push_back(object.number);
    }
  }

 private:
  const BoxedPicture& at(int64_t index) const { return *used_[static_cast<size_t>(index)]; }
  size_t count() const { return split_.pictures.size(); }

  std::string besides() const {
    const std::string unusable = split_.unusable();
    return unusable.empty() ? "" : " (" + unusable + ")";
  }

  // A missing picture is reported now, not after hours.
  void expect_pictures() const {
    int64_t missing = 0;
    fs::path first;
    for (const BoxedPicture* picture : used_) {
      if (is_there(split_.folder / picture->file)) continue;
      if (missing++ == 0) first = split_.folder / picture->file;
    }
    if (missing == 0) return;
    raise(Fault::data,
          "{} of {} pictures are missing, the first being {}; try: fetch them, or annotations of "
          "those that are there",
          with_commas(missing), with_commas(size()), first.string());
  }

  BoxedSplit split_;
  bool train_;
  std::vector<const BoxedPicture*> used_;
};

}  // namespace

void add_truth(const BoxedObject& object, PictureObjects& objects) {
  const double row[object_tensor::truth_columns] = {object.x,
                                                    object.y,
                                                    object.width,
                                                    object.height,
                                                    static_cast<double>(object.number),
                                                    object.area,
                                                    object.crowd ? 1.0 : 0.0};
  objects.truth.insert(objects.truth.end(), std::begin(row), std::end(row));
}

std::unique_ptr<PictureSource> boxed_source(BoxedSplit split, bool train) {
  return std::make_unique<BoxedSource>(std::move(split), train);
}

}  // namespace convoy
