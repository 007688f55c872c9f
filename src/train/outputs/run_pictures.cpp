#include "train/outputs/run_pictures.h"

#include <algorithm>
#include <cmath>

#include "base/error.h"
#include "boxes/decode.h"
#include "boxes/scores/confusion.h"
#include "data/detection_form.h"
#include "pictures/drawing.h"
#include "train/outputs/seen_objects.h"

namespace convoy {
namespace {

constexpr int64_t shown_images = 16, shown_pairs = 8;

uint8_t byte_of(double value) {
  return static_cast<uint8_t>(std::lround(std::clamp(value, 0.0, 255.0)));
}

// From planes of 1 or 3 channels; `value(c, i)` is that of pixel i in 0..255.
template <class Value>
Pixels pixels_of(const Shape& image, const Value& value) {
  const int64_t count = image[1] * image[2];
  Pixels pixels{{0, 0, image[2], image[1]}, std::vector<uint8_t>(static_cast<size_t>(count * 4))};
  for (int64_t i = 0; i < count; ++i) {
    for (int64_t c = 0; c < 3; ++c) {
      pixels.bytes[static_cast<size_t>(i * 4 + c)] = byte_of(value(image[0] >= 3 ? c : 0, i));
    }
  }
  return pixels;
}

std::string class_name(const std::vector<std::string>& names, int32_t label) {
  const bool has_name = label >= 0 && label < std::ssize(names);
  return has_name ? names[static_cast<size_t>(label)] : std::to_string(label);
}

// The objects of image `i` that a detector is trained on, by the codes of their default boxes.
// Several default boxes have the same object.
std::vector<DrawnObject> trained_objects(const Batch& batch, const DetectionForm& form, int64_t i,
                                         const std::vector<std::string>& names) {
  const std::span<const CentredBox> boxes = form.boxes().centred();
  const auto first = static_cast<size_t>(i) * boxes.size();
  const int32_t* classes = batch.data<int32_t>("box_classes") + first;
  const float* codes = batch.data<float>("box_codes") + first * 4;
  std::vector<DrawnObject> objects;
  for (size_t box = 0; box < boxes.size(); ++box) {
    if (classes[box] == 0) continue;
    const PixelBox place =
        in_pixels(decode(boxes[box], codes + box * 4), form.width(), form.height());
    DrawnObject one{.x = place.x,
                    .y = place.y,
                    .width = place.width,
                    .height = place.height,
                    .label = class_name(names, classes[box]),
                    .colour = classes[box]};
    const bool is_known = std::ranges::any_of(objects, [&](const DrawnObject& other) {
      const double apart =
          std::max({std::abs(other.x - one.x), std::abs(other.y - one.y),
                    std::abs(other.width - one.width), std::abs(other.height - one.height)});
      return other.colour == one.colour && apart < 0.5;
    });
    if (!is_known) objects.push_back(std::move(one));
  }
  return objects;
}

// Undoes the maps of the chain: the value of a pixel from the network's.
double undone(const std::vector<float>& tables, int64_t c, double value) {
  const float* table = tables.data() + c * 256;
  const double black = static_cast<double>(table[0]), white = static_cast<double>(table[255]);
  return white == black ? 0 : (value - black) / (white - black) * 255;
}

}  // namespace

void tell_batch(const RunSite& site, const Batch& batch, int64_t step) {
  const NamedTensor* images = batch.find("image");
  if (!site.writes_files() || !images) return;
  const Shape image = site.setup.train_chain.image();
  const NamedTensor* labels = batch.find("label");
  const std::vector<std::string> names = site.setup.train_set->class_names();
  const auto* form = dynamic_cast<const DetectionForm*>(site.setup.task->form());
  PicturesShown shown{"train/first_batch", step, {}, form != nullptr};
  for (int64_t i = 0; i < std::min(batch.valid, shown_images); ++i) {
    const int64_t begin = i * image.count(), plane = image[1] * image[2];
    Pixels pixels = pixels_of(image, [&](int64_t c, int64_t at) {
      const int64_t place = begin + c * plane + at;
      if (images->type.dtype == DType::u8) {
        return static_cast<double>(batch.data<uint8_t>("image")[place]);
      }
      const float value = images->type.dtype == DType::bf16
                              ? widened(batch.data<Bf16>("image")[place])
                              : batch.data<float>("image")[place];
      return undone(site.setup.train_chain.tables(), c, static_cast<double>(value));
    });
    if (form) pixels = drawn_objects(pixels, trained_objects(batch, *form, i, names));
    shown.all.push_back(
        {std::move(pixels), labels ? class_name(names, batch.data<int32_t>("label")[i]) : ""});
  }
  site.listener.on(shown);
}

Pixels picture_of(const Dataset& set, int64_t index) {
  const Shape image = set.image_shape();
  Sample sample;
  const auto count = static_cast<size_t>(image.count());
  if (set.image_type() == DType::u8) {
    std::vector<uint8_t> bytes(count);
    sample.begin(bytes.data());
    set.read(index, 0, sample);
    return pixels_of(image, [&](int64_t c, int64_t at) {
      return static_cast<double>(bytes[static_cast<size_t>(c * image[1] * image[2] + at)]);
    });
  }
  std::vector<float> values(count);
  sample.begin(values.data(), DType::f32);
  set.read(index, 0, sample);
  return pixels_of(image, [&](int64_t c, int64_t at) {
    return static_cast<double>(values[static_cast<size_t>(c * image[1] * image[2] + at)]);
  });
}

namespace {

// The pictures of these samples; one that was removed meanwhile is left out.
template <class Caption>
void tell_samples(const RunSite& site, const EvalDone& done, const std::string& what,
                  std::span<const SampleResult> samples, const Caption& caption) {
  PicturesShown shown{(done.ema ? "val_ema/" : "val/") + what, done.step, {}};
  for (const SampleResult& one : samples) {
    try {
      shown.all.push_back({picture_of(*site.setup.eval_set, one.index), caption(one)});
    } catch (const Error&) {
    }
  }
  if (!shown.all.empty()) site.listener.on(shown);
}

// An image of a detector's set with its objects as they are, and as they were found.
void add_pair(SeenObjects& seen, int64_t index, PicturesShown& shown) {
  const ScoredPicture* picture = seen.open(index);
  if (!picture) return;
  const ConfusionMatrix matrix(std::span(picture, 1), seen.classes(), least_drawn_score);
  const int64_t missed = matrix.missed(), alarms = matrix.false_alarms();
  shown.all.push_back({seen.with_truths(*picture), "truth"});
  shown.all.push_back(
      {seen.with_found(*picture), fmt::format("found: {} missed, {} not there, {} confused", missed,
                                              alarms, matrix.mistakes() - missed - alarms)});
}

// The first images of the set, and those with the most mistakes.
void tell_objects(const RunSite& site, const EvalDone& done) {
  const ObjectResults& results = *done.objects;
  const Dataset& data = *site.setup.eval_set;
  SeenObjects seen(results, data);
  const std::string group = done.ema ? "val_ema/" : "val/";
  PicturesShown first{group + "predictions", done.step, {}, true};
  for (int64_t i = 0; i < std::min(data.size(), shown_pairs); ++i) add_pair(seen, i, first);
  if (!first.all.empty()) site.listener.on(first);
  // Without a picture that could not be read, they have the places of their samples.
  if (std::ssize(results.pictures) != data.size()) return;
  std::vector<std::pair<int64_t, int64_t>> mistakes;  // how many, of which; negative: most first
  for (int64_t i = 0; i < data.size(); ++i) {
    const ConfusionMatrix matrix(std::span(&results.pictures[static_cast<size_t>(i)], 1),
                                 seen.classes(), least_drawn_score);
    mistakes.emplace_back(-matrix.mistakes(), i);
  }
  const auto count = std::min<ptrdiff_t>(shown_pairs, std::ssize(mistakes));
  std::ranges::partial_sort(mistakes, mistakes.begin() + count);
  PicturesShown worst{group + "worst", done.step, {}, true};
  for (const auto& [negative, i] : std::span(mistakes).first(static_cast<size_t>(count))) {
    if (negative < 0) add_pair(seen, i, worst);
  }
  if (!worst.all.empty()) site.listener.on(worst);
}

}  // namespace

void tell_worst(const RunSite& site, const EvalDone& done) {
  if (!site.writes_files()) return;
  if (done.objects) return tell_objects(site, done);
  if (!done.each) return;
  const auto name = [&](int32_t label) { return class_name(done.each->classes, label); };
  std::vector<SampleResult> worst = done.each->all;
  const auto count = std::min<ptrdiff_t>(shown_images, std::ssize(worst));
  std::ranges::partial_sort(worst, worst.begin() + count, std::greater(), &SampleResult::loss);
  tell_samples(site, done, "worst", std::span(worst).first(static_cast<size_t>(count)),
               [&](const SampleResult& one) {
                 return one.is_right() ? fmt::format("{}, loss {:.2f}", name(one.truth), one.loss)
                                       : fmt::format("{} not {}, loss {:.2f}", name(one.predicted),
                                                     name(one.truth), one.loss);
               });
  std::vector<SampleResult> right;
  std::ranges::copy_if(done.each->all, std::back_inserter(right), &SampleResult::is_right);
  const auto few = std::min<ptrdiff_t>(shown_images, std::ssize(right));
  std::ranges::partial_sort(right, right.begin() + few, {}, &SampleResult::confidence);
  tell_samples(site, done, "least_sure", std::span(right).first(static_cast<size_t>(few)),
               [&](const SampleResult& one) {
                 return fmt::format("{} {:.1f}%", name(one.truth), 100 * one.confidence);
               });
}

void tell_histograms(const RunSite& site, int64_t step) {
  if (!site.writes_files()) return;
  const State& state = site.network.state();
  const RunConfig& config = site.config;
  const double scale = 1 / (static_cast<double>(config.replicas) * config.accumulation *
                            static_cast<double>(site.network.steps().loss_scale()));
  const bool has_gradients = !config.shard_optimizer || !site.transport;
  for (const StateLayout::Slot& slot : state.layout().params) {
    const auto begin = static_cast<size_t>(slot.offset), count = static_cast<size_t>(slot.count);
    site.listener.on(HistogramShown{"weights/" + slot.name, step,
                                    histogram_of(state.params().subspan(begin, count))});
    if (!has_gradients) continue;
    site.listener.on(HistogramShown{"gradients/" + slot.name, step,
                                    histogram_of(state.grads().subspan(begin, count), scale)});
  }
}

}  // namespace convoy
