// The objects in each picture: their scores, classes and boxes.

#include <algorithm>

#include "app/predict/answer.h"
#include "app/predict/found_objects.h"
#include "base/error.h"
#include "boxes/detector.h"
#include "data/detection_form.h"
#include "pictures/drawing.h"

namespace convoy {
namespace {

struct Options {
  DetectorOptions detector;
  double shown_score = 0.3;
  std::string results, annotations;

  void describe(Fields& field) {
    field("min-score", detector.min_score, "only objects with a score above it", between(0, 1));
    field("max-overlap", detector.max_overlap,
          "two boxes of a class that overlap by this share or more show one object", between(0, 1));
    field("objects", detector.image_detections, "at most this number in each picture", at_least(1));
    field("shown-score", shown_score,
          "only objects with at least this score in text and drawings; JSON and --results have all",
          between(0, 1));
    field("results", results,
          "write all objects to this JSON file in COCO's format for results, which eval --results "
          "scores");
    field("annotations", annotations,
          "COCO's file with the numbers of pictures and categories for --results; without it a "
          "picture's number is its file name");
    if (!annotations.empty() && results.empty()) {
      raise(Fault::usage, "--annotations is for --results; try: --results FILE.json too");
    }
  }
};

class DetectionAnswer final : public Answer {
 public:
  explicit DetectionAnswer(const AnswerSite& site)
      : options_(site.options.read<Options>()),
        upright_(site.upright),
        classes_(site.network.executor().output_type("class_logits").shape[2]),
        ids_(site.names, classes_, options_.annotations),
        detector_(DefaultBoxes(site.network.default_boxes()), classes_, options_.detector) {
    if (!options_.results.empty() && !ids_.are_known()) {
      raise(Fault::usage,
            "--results needs the numbers of the categories, and the network's classes are not "
            "COCO's; try: --annotations FILE too");
    }
  }

  void read(const Executor& executor, const Batch& batch, bool labelled) override {
    found_ = detector_.detect(executor.output("class_logits"), executor.output("box_codes"),
                              batch.valid, executor.pool());
    batch_ = &batch;
    labelled_ = labelled;
  }

  void take(const SeenPicture& picture) override {
    picture_ = {.index = picture.index, .file = picture.file};
    int64_t id = picture.index;
    find_size(picture, id);
    for (const Detection& one : found_[static_cast<size_t>(picture.sample)]) {
      picture_.objects.push_back(in_pixels(one, picture_.width, picture_.height));
    }
    count_ += std::ranges::count_if(
        picture_.objects, [&](const FoundObject& o) { return o.score >= options_.shown_score; });
    if (!options_.results.empty()) results_.add(id, picture_.objects, ids_);
  }

  std::string text() const override { return text_lines(picture_, ids_, options_.shown_score); }
  std::string json_line() const override { return convoy::json_line(picture_, ids_); }

  void draw(const Pixels& pixels, const fs::path& out) const override {
    std::vector<DrawnObject> drawn;
    for (const FoundObject& o : picture_.objects) {
      if (o.score < options_.shown_score) continue;
      drawn.push_back({.x = o.x,
                       .y = o.y,
                       .width = o.width,
                       .height = o.height,
                       .label = fmt::format("{} {:.0f} %", ids_.name(o.label), 100 * o.score),
                       .colour = o.label});
    }
    draw_objects(pixels, drawn, out);
  }

  void write_files() const override {
    if (!options_.results.empty()) {
      write_atomically(options_.results, results_.text(), Fault::usage);
    }
  }

  std::string counted() const override {
    return fmt::format(", {} object{}", count_, count_ == 1 ? "" : "s");
  }

 private:
  // The size of the picture, and its number for --results. An image without a file is a picture.
  void find_size(const SeenPicture& picture, int64_t& id) {
    if (labelled_) {
      const PictureTruth truth = truth_of(*batch_, picture.sample);
      picture_.width = truth.width;
      picture_.height = truth.height;
      id = truth.image_id;
    } else if (picture.file.empty()) {
      const Shape& image = batch_->find("image")->type.shape;
      picture_.width = image[3];
      picture_.height = image[2];
    } else {
      const std::string bytes = read_file(picture.file, Fault::data);
      const PictureInfo info = PictureDecoder().open(bytes, picture.file);
      picture_.width = info.width;
      picture_.height = info.height;
      if (upright_ && info.orientation >= 5) std::swap(picture_.width, picture_.height);
      if (!options_.results.empty()) id = ids_.image(picture.file);
    }
  }

  Options options_;
  bool upright_;
  int64_t classes_;
  CocoIds ids_;
  Detector detector_;
  std::span<const std::vector<Detection>> found_;
  const Batch* batch_ = nullptr;
  bool labelled_ = false;
  FoundInPicture picture_;
  int64_t count_ = 0;  // of objects that are shown
  CocoResults results_;
};

}  // namespace

AnswerDef detection_answer() {
  return {.task = "detection",
          .title = "Detection",
          .describe = describe_options<Options>,
          .needs_whole_pictures = true,
          .make = [](const AnswerSite& site) -> std::unique_ptr<Answer> {
            return std::make_unique<DetectionAnswer>(site);
          }};
}

}  // namespace convoy
