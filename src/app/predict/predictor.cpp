#include "app/predict/predictor.h"

#include <fmt/core.h>
#include <unistd.h>

#include <algorithm>
#include <array>

#include "base/show.h"
#include "base/text/text.h"
#include "pictures/picture.h"

namespace convoy {

Predictor::Predictor(const PredictorOptions& options, Answer& answer, InferenceNetwork& network,
                     int64_t total)
    : options_(options),
      answer_(answer),
      network_(network),
      total_(total),
      prints_(options.output.empty()),
      progress_("images", !prints_ || ::isatty(STDOUT_FILENO) != 1),
      results_(network.task().results()) {
  if (!options.draw.empty()) make_folders(options.draw, Fault::usage);
}

// The plan is that of evaluation, whose inputs include the truth, for its loss. Pictures without a
// known truth get zeros, and the loss is not used.
void Predictor::bind(const Batch& batch) {
  Executor& executor = network_.executor();
  const Graph& graph = executor.plan().graph;
  size_t missing = 0;
  for (const NamedValue& input : graph.inputs) {
    if (!batch.find(input.name)) missing = std::max(missing, stored_bytes(graph.type(input.value)));
  }
  if (missing > blank_.size()) {
    blank_.reserve(missing);
    std::fill_n(blank_.data(), missing, std::byte{});
  }
  for (const NamedValue& input : graph.inputs) {
    const NamedTensor* tensor = batch.find(input.name);
    executor.bind(input.name, tensor ? tensor->data : blank_.data());
  }
}

void Predictor::take(Pictures& pictures) {
  Executor& executor = network_.executor();
  labelled_ = labelled_ && pictures.labelled();
  int64_t mine = 0;  // of these pictures
  while (const Batch* batch = pictures.next()) {
    warn_of_bad(*batch);
    bind(*batch);
    network_.run();
    answer_.read(executor, *batch, pictures.labelled());
    const NamedTensor& image = *batch->find("image");
    const int64_t floats = image.type.shape.count() / image.type.shape[0];
    image_ = image.type.shape;
    for (int64_t i = 0; i < batch->valid; ++i, ++seen_, ++mine) {
      if (batch->data<float>("weight")[i] == 0) continue;
      ++valid_;
      const SeenPicture picture{seen_, pictures.name(mine), i};
      answer_.take(picture);
      tell();
      if (!options_.draw.empty()) draw(picture);
      if (!options_.pixels.empty()) {
        const float* values = batch->data<float>("image") + i * floats;
        pixels_.insert(pixels_.end(), values, values + floats);
      }
    }
    if (pictures.labelled()) {
      rows_.clear();
      network_.task().read(executor, *batch, rows_);
      results_->add(rows_);
    }
    if (prints_) std::fflush(stdout);
    progress_.at(seen_, total_);
  }
}

void Predictor::warn_of_bad(const Batch& batch) {
  for (const Batch::Bad& bad : batch.bad) {
    progress_.clear();
    show(stderr, "Warning: {}\n", bad.reason);
  }
  bad_ += std::ssize(batch.bad);
}

void Predictor::tell() {
  if (!prints_) {
    lines_ += answer_.json_line();
  } else {
    show_text(options_.json ? answer_.json_line() : answer_.text());
  }
}

// Keeps the file's name; further pictures of the same name get their number in front.
void Predictor::draw(const SeenPicture& picture) const {
  const std::string bytes = read_file(picture.file, Fault::data);
  fs::path out = fs::path(options_.draw) / fs::path(picture.file).stem();
  out += ".png";
  if (fs::exists(out)) {
    out.replace_filename(fmt::format("{}-{}", picture.index, out.filename().string()));
  }
  answer_.draw(decode_picture(bytes, picture.file, options_.upright), out);
}

void Predictor::finish() {
  progress_.clear();
  if (!options_.output.empty()) write_atomically(options_.output, lines_, Fault::usage);
  answer_.write_files();
  if (!options_.pixels.empty()) {
    image_[0] = valid_;
    const std::array tensors{
        TensorEntry{"images", DType::f32, image_, std::as_bytes(std::span(pixels_))}};
    write_safetensors(options_.pixels, tensors, {}, Fault::usage);
  }
  if (!options_.json) show("{}\n", summary());
}

std::string Predictor::summary() const {
  std::string count = fmt::format("{} image{}", with_commas(valid_), valid_ == 1 ? "" : "s");
  if (bad_) count += fmt::format(", {} not to be read", with_commas(bad_));
  count += answer_.counted();
  if (!labelled_) return count;
  std::vector<Metric> all = results_->metrics();
  std::ranges::stable_partition(
      all, [](const Metric& metric) { return metric.def->name != loss_metric.name; });
  std::vector<std::string> metrics;
  for (const Metric& metric : all) metrics.push_back(shown_metric(metric, valid_));
  return count + ": " + join(metrics, ", ");
}

}  // namespace convoy
