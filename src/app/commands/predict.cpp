// `convoy predict`: what a network says about pictures, one by one (app/predict/answer.h). It runs
// the evaluation plan, so its results agree with `convoy eval`.

#include <algorithm>
#include <deque>

#include "app/command.h"
#include "app/network/class_names.h"
#include "app/network/inference.h"
#include "app/predict/answer.h"
#include "app/predict/output_file.h"
#include "app/predict/pictures.h"
#include "app/predict/predictor.h"
#include "base/error.h"
#include "base/files/folder.h"
#include "base/show.h"
#include "base/text/text.h"
#include "config/value.h"
#include "data/sources/data_file.h"
#include "data/sources/folder_source.h"
#include "data/sources/picture_dataset.h"
#include "data/views/view_maker.h"
#include "train/checkpoint/weights_metadata.h"

namespace convoy {
namespace {

struct Options : InferenceOptions {
  std::string input;                // as typed, one line per use
  std::vector<std::string> inputs;  // files and folders
  int64_t first = 0;
  PredictorOptions what;
  OptionTexts of_answers;
  int64_t batch_size = 64;

  void describe(Fields& field) override {
    describe_source(field);
    field(
        "input", input,
        "pictures (JPEG, PNG, BMP, TIFF, WebP) or folders of them, with spaces or commas between; "
        "or .npy or .safetensors files: f32 [n, c, h, w] as the network takes them, or bytes [n, "
        "c, h, w] or [n, h, w, c]. Without it, the dataset's images",
        repeated());
    describe_split(field);
    field("first", first, "only the first N images; 0: all", at_least(0));
    field("json", what.json, "print a JSON object for each image");
    field("output", what.output,
          "write those JSON objects to this file, and print only the summary");
    field("draw", what.draw,
          "write each picture with its likeliest classes below it, or its objects in frames, as "
          "PNG, to this folder");
    field("pixels", what.pixels,
          "write what the network is shown [images, c, h, w] to this .safetensors file");
    for (const AnswerDef& def : answer_catalog()) {
      field.section(def.title);
      of_answers.describe(field, def.describe);
    }
    describe_stored(field);
    field.section("How");
    field("eval-batch-size", batch_size, "images at a time; changes no result", at_least(1),
          {"batch-size", "b"});
    describe_how(field);
    if (what.json && !what.output.empty()) {
      raise(Fault::usage, "--json and --output both say where the JSON goes; try: one of them");
    }
    need_safetensors("pixels", what.pixels);
  }
};

void describe(Fields& field) { Options().describe(field); }

// With --input there is no dataset to choose. Pictures and bytes need preprocessing options, from
// the weights or the command line.
void check_input_options(const CommandLine& line, const Settings& settings, bool has_bytes) {
  for (const char* key : {"split", "data-dir", "val-share", "seed", "class-map",
                          "generated-channels", "generated-classes", "generated-samples"}) {
    if (line.settings.contains(key)) {
      raise(Fault::usage, "--{} is for a dataset, not for --input; try: one of them", key);
    }
  }
  const auto has = [&](const char* key) { return settings.contains(key); };
  const bool is_told = has("dataset") || (has("mean") && has("std")) ||
                       (has("normalise") && settings.at("normalise").text != "mean-std");
  if (has_bytes && !is_told) {
    raise(Fault::usage,
          "the weights do not say how bytes are preprocessed; try: --mean 0.5 --std 0.25, or "
          "--dataset NAME for its values (imagenet for networks of PyTorch)");
  }
}

void check_labels(const ImageTensor& tensor, const OpenedModel& opened, int classes) {
  if (!tensor.labels.empty() && !answer_for(opened).has_labels) {
    raise(Fault::data, "{}: it has labels, {} needs none; try: a file without them", tensor.origin,
          opened.model.variant.name);
  }
  for (size_t i = 0; i < tensor.labels.size(); ++i) {
    if (tensor.labels[i] >= classes) {
      raise(
          Fault::data,
          "{}: image {} has the label {}, the weights know {} classes; try: weights of these data",
          tensor.origin, i, tensor.labels[i], classes);
    }
  }
}

// The images, all of one shape, and the classes of the network.
struct Subject {
  Shape image;
  int64_t count;
  int classes;
  ClassNames names;
};

// Whether all images show their whole pictures, by an example.
bool shows_whole_pictures(const PictureSpec& spec) {
  constexpr int64_t width = 640, height = 480;
  const PictureView view = find_view(spec.view).make(spec)->make(width, height, {}, Random(1));
  const auto is_whole = [](const ViewAxis& axis, int64_t length) {
    return axis.from == 0 && axis.length == static_cast<double>(length) && axis.first == 0 &&
           axis.count == axis.whole;
  };
  return is_whole(view.x, width) && is_whole(view.y, height);
}

void check_view(const PictureSpec& spec, const OpenedModel& opened) {
  if (!answer_for(opened).needs_whole_pictures || shows_whole_pictures(spec)) return;
  raise(Fault::usage,
        "the boxes of {} are about whole pictures, of which --eval-crop {} cuts something off; "
        "try: --eval-crop ssd-whole",
        opened.model.variant.name, spec.view);
}

// Opens the network for the images (at most --first of them) and writes the predictions for those
// that `take(predictor, count, batch)` hands to the predictor. Returns the exit code: Fault::data
// if an image could not be read.
template <class Take>
int predict_all(const Options& options, const OpenedModel& opened, Subject what, const Take& take) {
  if (options.first) what.count = std::min(options.first, what.count);
  const int64_t batch = std::min(options.batch_size, what.count);
  InferenceNetwork network(options, opened, what.image, what.classes, batch,
                           InferenceNetwork::Norms::folded);
  network.load(opened.file);
  const std::unique_ptr<Answer> answer = answer_for(opened).make(
      {options.of_answers, std::move(what.names), network, options.what.upright});
  Predictor predictor(options.what, *answer, network, what.count);
  take(predictor, network.task(), what.count, batch);
  predictor.finish();
  return predictor.bad() ? static_cast<int>(Fault::data) : 0;
}

void predict_dataset(const Options& options, const OpenedModel& opened) {
  if (options.data.def().has_pictures) check_view(options.data.pictures(false), opened);
  const auto data = open_matched(options, opened, options.wants_training_set());
  if (!data->remark().empty()) show(stderr, "Warning: {}\n", data->remark());
  const AugmentChain chain = options.data.chain(data->image_shape(), false);
  const int classes = class_count(options, opened.model, {}, data.get());
  predict_all(options, opened, {data->image_shape(), data->size(), classes, data->class_names()},
              [&](Predictor& predictor, const Task& task, int64_t count, int64_t batch) {
                LoaderSpec loader = options.data.loader();
                loader.form = task.form();
                predictor.take(*dataset_pictures(*data, chain, count, batch, loader, true,
                                                 options.data.def().has_pictures));
              });
}

// The names given by --input and the words after it, as in `--input *.jpg` expanded by a shell. A
// comma separates names unless a file of the whole name exists.
std::vector<std::string> named_inputs(const std::string& typed,
                                      const std::vector<std::string>& words) {
  std::vector<std::string> names;
  for (const std::string& entry : split(typed, '\n')) {
    if (entry.empty() || is_there(entry)) {
      if (!entry.empty()) names.push_back(entry);
      continue;
    }
    std::vector<std::string> parts;
    const std::string problem = parse_value(entry, parts);
    if (!problem.empty()) {
      raise(Fault::usage, "--input \"{}\" {}; try: FILE or FILE,FILE", entry, problem);
    }
    names.insert(names.end(), parts.begin(), parts.end());
  }
  names.insert(names.end(), words.begin(), words.end());
  return names;
}

// The pictures among the inputs, including those in folders; empty: the inputs are tensors.
std::vector<fs::path> picture_inputs(const std::vector<std::string>& inputs) {
  std::vector<fs::path> pictures;
  size_t tensors = 0;
  for (const std::string& input : inputs) {
    if (!is_there(input)) raise(Fault::data, "there is no {}; try: another --input", input);
    if (is_folder(input)) {
      const std::vector<fs::path> below = pictures_below(input);
      if (below.empty()) {
        raise(Fault::data, "there is no picture in {}; try: another folder, or pictures by name",
              input);
      }
      pictures.insert(pictures.end(), below.begin(), below.end());
    } else if (names_picture(input)) {
      pictures.emplace_back(input);
    } else {
      ++tensors;
    }
  }
  if (tensors && !pictures.empty()) {
    raise(Fault::usage, "--input has both pictures and tensors; try: one kind at a time");
  }
  return pictures;
}

// Pictures preprocessed for the weights, at their image size or that of their training dataset.
std::unique_ptr<Dataset> picture_set(const Options& options, const OpenedModel& opened,
                                     std::vector<fs::path> paths) {
  PictureSpec spec = options.data.pictures(false);
  spec.cache = false;
  if (!options.data.def().has_pictures) {
    const Shape image = told_image(opened.file.metadata(), opened.file.origin())
                            .value_or(Shape{opened.model.family.channels, spec.size, spec.size});
    spec.channels = image[0];
    spec.size = image[1];
    spec.options.set("eval-resize", std::to_string(spec.size));
  }
  check_view(spec, opened);
  return std::make_unique<PictureDataset>(picture_files(std::move(paths)), spec);
}

int predict_pictures(const Options& options, const OpenedModel& opened, ClassNames names,
                     const CommandLine& line, std::vector<fs::path> paths) {
  check_input_options(line, opened.settings, true);
  const auto data = picture_set(options, opened, std::move(paths));
  const AugmentChain chain = options.data.chain(data->image_shape(), false);
  const int classes = class_count(options, opened.model, names);
  return predict_all(
      options, opened, {data->image_shape(), data->size(), classes, std::move(names)},
      [&](Predictor& predictor, const Task&, int64_t count, int64_t batch) {
        LoaderSpec loader = options.data.loader();
        loader.bad = BadSamples::leave_out;
        predictor.take(*dataset_pictures(*data, chain, count, batch, loader, false, true));
      });
}

void predict_tensors(const Options& options, const OpenedModel& opened, ClassNames names,
                     const CommandLine& line) {
  const std::optional<Shape> image = told_image(opened.file.metadata(), opened.file.origin());
  const int classes = class_count(options, opened.model, names);
  std::deque<ImageTensor> tensors;
  int64_t count = 0;
  bool has_bytes = false;
  for (const std::string& path : options.inputs) {
    ImageTensor tensor = read_images(path);
    settle_layout(tensor, image, opened.model.family.channels);
    check_labels(tensor, opened, classes);
    if (!tensors.empty() && tensor.image() != tensors.front().image()) {
      raise(Fault::data, "{}: its images are {}, those of {} are {}; try: one size at a time",
            tensor.origin, to_string(tensor.image()), tensors.front().origin,
            to_string(tensors.front().image()));
    }
    count += tensor.size();
    has_bytes = has_bytes || tensor.dtype == DType::u8;
    tensors.push_back(std::move(tensor));
  }
  check_input_options(line, opened.settings, has_bytes);
  const Shape shape = tensors.front().image();
  std::optional<AugmentChain> chain;
  if (has_bytes) chain.emplace(options.data.chain(shape, false));
  predict_all(
      options, opened, {shape, count, classes, std::move(names)},
      [&](Predictor& predictor, const Task&, int64_t left, int64_t batch) {
        for (const ImageTensor& tensor : tensors) {
          const int64_t taken = std::min(left, tensor.size());
          if (taken == 0) break;
          if (tensor.dtype == DType::f32) {
            predictor.take(*float_pictures(tensor, taken, batch));
          } else {
            const ImageTensorDataset pictures(tensor, classes);
            predictor.take(*dataset_pictures(pictures, *chain, taken, batch, options.data.loader(),
                                             !tensor.labels.empty(), false));
          }
          left -= taken;
        }
      });
}

// Only pictures in files can be drawn.
void refuse_to_draw(const Options& options) {
  if (!options.what.draw.empty()) {
    raise(Fault::usage, "--draw is for pictures in files; try: --input FILE|FOLDER");
  }
}

int run(const CommandLine& line) {
  Options options;
  const OpenedModel opened = open_model(line, "predict", describe, options);
  options.what.upright = options.data.exif_turn;
  answer_for(opened);  // refuses options of other tasks
  options.inputs = named_inputs(options.input, line.words);
  if (options.inputs.empty()) {
    refuse_to_draw(options);
    predict_dataset(options, opened);
    return 0;
  }
  ClassNames names = network_classes(options, opened, {});
  if (std::vector<fs::path> paths = picture_inputs(options.inputs); !paths.empty()) {
    return predict_pictures(options, opened, std::move(names), line, std::move(paths));
  }
  refuse_to_draw(options);
  predict_tensors(options, opened, std::move(names), line);
  return 0;
}

}  // namespace

CommandDef predict_command() {
  return {.name = "predict",
          .summary = "tell what is in images",
          .usage = "predict --checkpoint FILE|RUN_DIR [--input FILE...] [options]",
          .details =
              R"(Tells the likeliest classes of every image, with their probabilities, and whether
that is right where the labels are known; a detector tells the objects in it: the
score, the number and name of the class, and the box in pixels of the picture
(left, top, width, height). Weights written by Convoy bring model, class names
and preprocessing along. Images come from --input, or are those of the dataset.
Pictures are resized and cropped as in evaluation; one that cannot be read is
named and left out, and the exit code is 3. A .safetensors input holds one tensor
of images, called images where there are several, and may hold their labels.

  convoy predict --checkpoint runs/demo --first 10
  convoy predict --checkpoint runs/demo --top 1 --output predictions.jsonl
  convoy predict --checkpoint best.safetensors --input photo.jpg holidays/*.png
  convoy predict --checkpoint best.safetensors --input photo.jpg,holidays/
  convoy predict --checkpoint best.safetensors --input holidays/ --draw seen/
  convoy predict --checkpoint resnet50.pth --model resnet50 --dataset imagenet --input photo.jpg
  convoy predict --checkpoint best.safetensors --input photos.npy --json
  convoy predict --checkpoint best.safetensors --input photos.npy --logits logits.safetensors
  convoy predict --checkpoint detector.safetensors --input holidays/ --draw seen/
  convoy predict --checkpoint detector.safetensors --dataset coco --data-dir coco --results r.json
)",
          .basics =
              "checkpoint weights input split first json output draw top min-score results model "
              "dataset data-dir class-names image-size threads",
          .describe = describe,
          .run = run};
}

}  // namespace convoy
