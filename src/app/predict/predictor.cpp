#include "app/predict/predictor.h"

#include <fmt/core.h>
#include <unistd.h>

#include <algorithm>
#include <array>

#include "base/show.h"
#include "base/text/text.h"
#include "pictures/drawing.h"

namespace convoy {

Predictor::Predictor(const PredictorOptions& options, std::vector<std::string> class_names,
                     InferenceNetwork& network, int64_t total)
    : options_(options),
      names_(std::move(class_names)),
      network_(network),
      total_(total),
      prints_(options.output.empty()),
      progress_("images", !prints_ || ::isatty(STDOUT_FILENO) != 1),
      results_(network.task().results()) {
  if (!options.draw.empty()) make_folders(options.draw, Fault::usage);
}

void Predictor::take(Pictures& pictures) {
  Executor& executor = network_.executor();
  const int64_t classes = executor.output_type("logits").shape[1];
  labelled_ = labelled_ && pictures.labelled();
  int64_t mine = 0;  // of these pictures
  while (const Batch* batch = pictures.next()) {
    for (const Batch::Bad& bad : batch->bad) {
      progress_.clear();
      show(stderr, "Warning: {}\n", bad.reason);
    }
    bad_ += std::ssize(batch->bad);
    for (const NamedTensor& tensor : batch->tensors()) {
      executor.try_bind(tensor.name, tensor.data);
    }
    executor.run();
    const float* logits = executor.output("logits");
    const NamedTensor& image = *batch->find("image");
    const int64_t floats = image.type.shape.count() / image.type.shape[0];
    image_ = image.type.shape;
    for (int64_t i = 0; i < batch->valid; ++i, ++seen_, ++mine) {
      if (batch->data<float>("weight")[i] == 0) continue;
      const std::span row(logits + i * classes, static_cast<size_t>(classes));
      Prediction prediction{seen_, pictures.name(mine), likeliest(row, options_.top), {}};
      if (pictures.labelled()) prediction.label = batch->data<int32_t>("label")[i];
      tell(prediction);
      if (!options_.draw.empty()) draw(prediction);
      if (!options_.logits.empty()) logits_.insert(logits_.end(), row.begin(), row.end());
      if (!options_.pixels.empty()) {
        const float* values = batch->data<float>("image") + i * floats;
        pixels_.insert(pixels_.end(), values, values + floats);
      }
    }
    rows_.clear();
    network_.task().read(executor, *batch, rows_);
    results_->add(rows_);
    if (prints_) std::fflush(stdout);
    progress_.at(seen_, total_);
  }
}

void Predictor::tell(const Prediction& prediction) {
  if (!prints_) {
    lines_ += json_line(prediction, names_);
  } else {
    show_text(options_.json ? json_line(prediction, names_) : text_line(prediction, names_));
  }
}

// Keeps the file's name; further pictures of the same name get their number in front.
void Predictor::draw(const Prediction& prediction) const {
  const std::string bytes = read_file(prediction.file, Fault::data);
  std::vector<PredictionLine> lines;
  for (const Guess& guess : prediction.top) {
    lines.push_back({.label = class_name(names_, guess.label),
                     .p = guess.p,
                     .is_true = prediction.label == guess.label});
  }
  fs::path out = fs::path(options_.draw) / fs::path(prediction.file).stem();
  out += ".png";
  if (fs::exists(out)) {
    out.replace_filename(fmt::format("{}-{}", prediction.index, out.filename().string()));
  }
  draw_prediction(decode_picture(bytes, prediction.file, options_.upright), lines, out);
}

void Predictor::finish() {
  progress_.clear();
  if (!options_.output.empty()) write_atomically(options_.output, lines_, Fault::usage);
  if (!options_.logits.empty()) {
    const int64_t classes = network_.executor().output_type("logits").shape[1];
    const std::array tensors{TensorEntry{
        "logits", DType::f32, {results_->samples(), classes}, std::as_bytes(std::span(logits_))}};
    write_safetensors(options_.logits, tensors, {}, Fault::usage);
  }
  if (!options_.pixels.empty()) {
    image_[0] = results_->samples();
    const std::array tensors{
        TensorEntry{"images", DType::f32, image_, std::as_bytes(std::span(pixels_))}};
    write_safetensors(options_.pixels, tensors, {}, Fault::usage);
  }
  if (!options_.json) show("{}\n", summary());
}

std::string Predictor::summary() const {
  const int64_t samples = results_->samples();
  std::string count = fmt::format("{} image{}", with_commas(samples), samples == 1 ? "" : "s");
  if (bad_) count += fmt::format(", {} not to be read", with_commas(bad_));
  if (!labelled_) return count;
  std::vector<Metric> all = results_->metrics();
  std::ranges::stable_partition(
      all, [](const Metric& metric) { return metric.def->name != loss_metric.name; });
  std::vector<std::string> metrics;
  for (const Metric& metric : all) metrics.push_back(shown_metric(metric, samples));
  return count + ": " + join(metrics, ", ");
}

}  // namespace convoy
