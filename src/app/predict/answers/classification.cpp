// The likeliest classes of each picture, and all logits as a tensor.

#include <array>

#include "app/predict/answer.h"
#include "app/predict/output_file.h"
#include "app/predict/predictions.h"
#include "pictures/drawing.h"
#include "weights/safetensors.h"

namespace convoy {
namespace {

struct Options {
  int top = 5;
  std::string logits;

  void describe(Fields& field) {
    field("top", top, "classes to show for each image", at_least(1), {"k"});
    field("logits", logits, "write the logits [images, classes] to this .safetensors file");
    need_safetensors("logits", logits);
  }
};

class LikeliestClasses final : public Answer {
 public:
  explicit LikeliestClasses(const AnswerSite& site)
      : options_(site.options.read<Options>()),
        names_(site.names),
        classes_(site.network.executor().output_type("logits").shape[1]) {}

  void read(const Executor& executor, const Batch& batch, bool labelled) override {
    of_batch_ = executor.output("logits");
    labels_ = labelled ? batch.data<int32_t>("label") : nullptr;
  }

  void take(const SeenPicture& picture) override {
    const std::span row(of_batch_ + picture.sample * classes_, static_cast<size_t>(classes_));
    prediction_ = {picture.index, picture.file, likeliest(row, options_.top), {}};
    if (labels_) prediction_.label = labels_[picture.sample];
    if (!options_.logits.empty()) logits_.insert(logits_.end(), row.begin(), row.end());
  }

  std::string text() const override { return text_line(prediction_, names_); }
  std::string json_line() const override { return convoy::json_line(prediction_, names_); }

  void draw(const Pixels& pixels, const fs::path& out) const override {
    std::vector<PredictionLine> lines;
    for (const Guess& guess : prediction_.top) {
      lines.push_back({.label = class_name(names_, guess.label),
                       .p = guess.p,
                       .is_true = prediction_.label == guess.label});
    }
    draw_prediction(pixels, lines, out);
  }

  void write_files() const override {
    if (options_.logits.empty()) return;
    const int64_t images = std::ssize(logits_) / classes_;
    const std::array tensors{
        TensorEntry{"logits", DType::f32, {images, classes_}, std::as_bytes(std::span(logits_))}};
    write_safetensors(options_.logits, tensors, {}, Fault::usage);
  }

 private:
  Options options_;
  std::vector<std::string> names_;
  int64_t classes_;
  const float* of_batch_ = nullptr;
  const int32_t* labels_ = nullptr;  // null: unknown
  Prediction prediction_;
  std::vector<float> logits_;
};

}  // namespace

AnswerDef classification_answer() {
  return {.task = "classification",
          .title = "Classification",
          .describe = describe_options<Options>,
          .has_labels = true,
          .make = [](const AnswerSite& site) -> std::unique_ptr<Answer> {
            return std::make_unique<LikeliestClasses>(site);
          }};
}

}  // namespace convoy
