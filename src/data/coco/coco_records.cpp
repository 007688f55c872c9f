#include "data/coco/coco_records.h"

#include <algorithm>
#include <charconv>
#include <cmath>
#include <optional>

#include "base/error.h"
#include "base/threads/cores.h"
#include "data/boxed/boxed_source.h"
#include "data/coco/coco_categories.h"
#include "data/coco/coco_layout.h"
#include "data/coco/coco_split.h"
#include "data/sources/record_index.h"
#include "data/sources/record_shards.h"
#include "records/example.h"

namespace convoy {
namespace {

// The objects of a record, one value of each list for an object.
struct RecordObjects {
  std::vector<float> ymin, xmin, ymax, xmax, area;
  std::vector<int64_t> label, crowd;
};

class ObjectReader {
 public:
  ObjectReader(std::string_view record, const std::string& origin)
      : example_(record, origin), origin_(origin) {}

  bool is_mlperf() const { return example_.has("image/shape"); }
  std::string_view encoded() const { return example_.bytes("image/encoded"); }

  int64_t image_id() const {
    if (is_mlperf()) return example_.integer("image/id");
    const std::string_view text = example_.bytes("image/source_id");
    int64_t id = 0;
    const auto [end, error] = std::from_chars(text.data(), text.data() + text.size(), id);
    if (error != std::errc() || end != text.data() + text.size()) {
      raise(Fault::data, "{}: image/source_id is {:?}, no whole number", origin_, text);
    }
    return id;
  }

  // Height and width.
  std::pair<int64_t, int64_t> size() const {
    if (!is_mlperf()) return {example_.integer("image/height"), example_.integer("image/width")};
    const std::vector<int64_t> shape = example_.int_list("image/shape");
    if (shape.size() < 2) raise(Fault::data, "{}: image/shape has no height and width", origin_);
    return {shape[0], shape[1]};
  }

  RecordObjects objects() const { return is_mlperf() ? mlperf_objects() : usual_objects(); }

 private:
  RecordObjects usual_objects() const {
    const std::string bbox = "image/object/bbox/";
    RecordObjects found{.ymin = example_.float_list(bbox + "ymin"),
                        .xmin = example_.float_list(bbox + "xmin"),
                        .ymax = example_.float_list(bbox + "ymax"),
                        .xmax = example_.float_list(bbox + "xmax"),
                        .area = example_.float_list("image/object/area"),
                        .label = example_.int_list("image/object/class/label"),
                        .crowd = example_.int_list("image/object/is_crowd")};
    check(found);
    return found;
  }

  RecordObjects mlperf_objects() const {
    const std::vector<float> sides = example_.float_list("image/object/bbox");
    RecordObjects found{.label = example_.int_list("image/object/label"),
                        .crowd = example_.int_list("image/object/is_crowd")};
    std::vector<float>* const lists[] = {&found.xmin, &found.ymin, &found.xmax, &found.ymax};
    for (size_t i = 0; i < sides.size(); ++i) lists[i % 4]->push_back(sides[i]);
    check(found);
    return found;
  }

  // Fills the lists that a record may lack: area and is_crowd.
  void check(RecordObjects& found) const {
    const size_t count = found.label.size();
    if (found.crowd.empty()) found.crowd.resize(count);
    for (const auto* list : {&found.ymin, &found.xmin, &found.ymax, &found.xmax}) {
      if (list->size() != count) refuse_length(list->size(), count);
      for (const float side : *list) {
        if (!(side >= 0 && side <= 1)) {
          raise(Fault::data, "{}: a box has a side at {}, outside of the picture", origin_, side);
        }
      }
    }
    if (found.crowd.size() != count) refuse_length(found.crowd.size(), count);
    if (!found.area.empty() && found.area.size() != count) {
      refuse_length(found.area.size(), count);
    }
  }

  [[noreturn]] void refuse_length(size_t values, size_t labels) const {
    raise(Fault::data, "{}: {} objects have labels, but a list of theirs has {} values", origin_,
          labels, values);
  }

  Example example_;
  const std::string& origin_;
};

class CocoRecords final : public PictureSource {
 public:
  CocoRecords(RecordIndex index, std::vector<CocoCategory> categories,
              std::optional<BoxedSplit> truth)
      : index_(std::move(index)),
        categories_(std::move(categories)),
        numbers_(categories_),
        truth_(std::move(truth)),
        truth_pictures_(truth_ ? truth_->pictures : std::vector<BoxedPicture>{}) {}

  int64_t size() const override { return index_.size(); }
  std::vector<std::string> class_names() const override { return class_names_of(categories_); }
  bool has_objects() const override { return true; }
  std::string origin(int64_t index) const override { return index_.origin(index); }
  KeptSample kept(int64_t index) const override { return index_.kept(index); }
  int64_t run_length() const override { return RecordIndex::run_length; }
  void announce_read(int64_t index) const override { index_.announce_read(index); }

  void read(int64_t index, EncodedPicture& picture) const override {
    thread_local std::string record;  // keeps its memory between pictures
    index_.read(index, record);
    const std::string where = origin(index);
    const ObjectReader reader(record, where);
    picture.bytes = reader.encoded();
    picture.boxes.clear();
    PictureObjects& objects = picture.objects;
    objects.classes.clear();
    objects.truth.clear();
    objects.image_id = reader.image_id();
    std::tie(objects.height, objects.width) = reader.size();
    const RecordObjects found = reader.objects();
    for (size_t i = 0; i < found.label.size(); ++i) {
      const BoxedObject object = object_of(found, i, reader.is_mlperf(), objects, where);
      if (!truth_) add_truth(object, objects);
      const Box box{found.ymin[i], found.xmin[i], found.ymax[i], found.xmax[i]};
      if (!(box.ymin < box.ymax && box.xmin < box.xmax)) continue;
      picture.boxes.push_back(box);
      objects.classes.push_back(object.number);
    }
    if (truth_) add_file_truth(objects, where);
  }

 private:
  BoxedObject object_of(const RecordObjects& found, size_t i, bool is_mlperf,
                        const PictureObjects& picture, const std::string& where) const {
    const auto count = static_cast<int64_t>(categories_.size());
    const int64_t label = found.label[i];
    const int64_t place = !is_mlperf ? numbers_.find(label) : label < count ? label : -1;
    if (place < 0) {
      raise(Fault::data,
            "{}: an object has the category {}, which is none of the {} known; try: the "
            "annotation file of the set in the folder annotations beside the records",
            where, label, count);
    }
    const auto width = static_cast<double>(picture.width),
               height = static_cast<double>(picture.height);
    const double x = found.xmin[i] * width, y = found.ymin[i] * height;
    const double w = found.xmax[i] * width - x, h = found.ymax[i] * height - y;
    return {.x = x,
            .y = y,
            .width = w,
            .height = h,
            .area = found.area.empty() ? w * h : static_cast<double>(found.area[i]),
            .category = categories_[static_cast<size_t>(place)].id,
            .number = static_cast<int32_t>(place + 1),
            .crowd = found.crowd[i] != 0,
            .is_usable = true};
  }

  void add_file_truth(PictureObjects& objects, const std::string& where) const {
    const int64_t at = truth_pictures_.find(objects.image_id);
    if (at < 0) {
      raise(Fault::data, "{}: its picture {} is not in the annotation file beside the records",
            where, objects.image_id);
    }
    const BoxedPicture& picture = truth_->pictures[static_cast<size_t>(at)];
    for (const BoxedObject& object : truth_->objects_of(picture)) add_truth(object, objects);
  }

  RecordIndex index_;
  std::vector<CocoCategory> categories_;
  CocoIndex numbers_;                // from a category's id
  std::optional<BoxedSplit> truth_;  // of a validation set
  CocoIndex truth_pictures_;
};

}  // namespace

bool has_coco_records(const fs::path& dir, bool train) {
  try {
    for (const fs::path& path : record_shards(dir, train)) {
      const TfRecordFile file(path);
      const std::vector<RecordPlace> places = file.scan();
      if (places.empty()) continue;
      std::string record;
      file.read(places.front(), record);
      return !Example(record, file.origin(places.front())).has("image/class/label");
    }
  } catch (const Error&) {  // opening the set as another one reports the reason
  }
  return false;
}

std::unique_ptr<PictureSource> open_coco_records(const fs::path& dir, bool train, int threads) {
  ThreadPool pool(threads ? threads : available_cores());
  RecordIndex index(record_shards(dir, train), pool);
  if (index.size() == 0) raise(Fault::data, "{} holds no record", dir.string());
  std::vector<CocoCategory> categories = coco_categories();
  std::optional<BoxedSplit> truth;
  // The validation set's file is far smaller, and both list all categories.
  for (const bool of_train : {false, true}) {
    if (coco_annotation_files(dir, split_name(of_train)).empty()) continue;
    truth = read_coco_split(the_annotation_file(dir, split_name(of_train)), dir);
    categories = truth->categories;
    if (of_train || train) truth.reset();
    break;
  }
  return std::make_unique<CocoRecords>(std::move(index), std::move(categories), std::move(truth));
}

}  // namespace convoy
