// `convoy export`: writes weights for other programs, as ONNX or as safetensors for inference. The
// file is read back and compared with the network before it gets its final name.

#include <algorithm>
#include <nlohmann/json.hpp>
#include <optional>

#include "app/command.h"
#include "app/export/export_source.h"
#include "app/export/stored_tensors.h"
#include "base/error.h"
#include "base/files/file_writer.h"
#include "base/files/temporary_name.h"
#include "base/show.h"
#include "base/text/json_text.h"
#include "base/text/text.h"
#include "base/threads/cores.h"
#include "export/onnx_detection.h"
#include "export/onnx_file.h"
#include "export/onnx_import.h"
#include "export/onnx_writer.h"
#include "weights/safetensors.h"

namespace convoy {
namespace {

// The type of the weights of convolutions and linear layers in the file.
enum class FileType { fp32, bf16, fp16 };
constexpr auto words_of(FileType) { return words<FileType>("fp32", "bf16", "fp16"); }

struct Options : InferenceOptions {
  std::string output;
  std::string format;
  FileType dtype = FileType::fp32;
  int opset = 13;
  bool fold_batch_norm = true;
  int64_t batch_size = 0;
  int64_t image_size = 0;
  bool softmax = false, nms = false;
  int64_t verify = 0;
  bool json = false;

  Options() { data.has_image_size = false; }

  // --image-size is the input size of the exported network. In weights files the key means the size
  // to which pictures are cropped: the same with a picture dataset, and ignored with other data.
  void adapt(Settings& settings) const override {
    const auto found = settings.find("image-size");
    if (found == settings.end()) return;
    const bool typed = found->second.origin == "command line";
    const auto dataset = settings.find("dataset");
    const bool has_pictures =
        dataset != settings.end() && find_dataset(dataset->second.text).has_pictures;
    if (has_pictures) settings["generated-image-size"] = found->second;
    if (!typed) settings.erase(found);
  }

  void describe(Fields& field) override {
    describe_source(field);
    field("output", output, "the file to write: .onnx or .safetensors");
    field("format", format, "kind of file; by default according to its ending",
          one_of({"onnx", "safetensors"}));
    field("verify", verify,
          "read the file back, run it on N images and compare it with the network; a file that "
          "differs is not kept. 0: do not",
          between(0, 1e6));
    field("dtype", dtype,
          "bf16, fp16: the weights of convolutions and linear layers in 16 bits, half the size; "
          "biases, norms and statistics stay in fp32. In ONNX (bf16) a node widens each, and batch "
          "norms are not folded");
    field("json", json, "print one JSON object");
    field.section("ONNX");
    field("opset", opset, "operator set", between(13, 21));
    field("fold-batch-norm", fold_batch_norm,
          "put each batch norm into the convolution before it: fewer nodes, the same results");
    field("batch-size", batch_size, "images at a time, fixed; 0: any number", between(0, 65536),
          {"b"});
    field("image-size", image_size, "height and width; 0: that of the weights' own images",
          between(0, 65536));
    field("softmax", softmax, "give probabilities instead of logits");
    field("nms", nms,
          "for detectors: give the objects found, after suppression of overlapping boxes, instead "
          "of all default boxes");
    describe_stored(field);
    field.section("How (with --verify)");
    field("threads", threads, "threads that compute; 0: one for each core. Changes no result",
          between(0, 256), {"j"});
    field("isa", isa, "instruction set");
  }
};

void describe(Fields& field) { Options().describe(field); }

// The format, derived from the file name unless it was given.
std::string format_of(const Options& options) {
  if (options.output.empty()) {
    raise(Fault::usage,
          "export needs --output FILE.onnx|FILE.safetensors; try: convoy export --help");
  }
  if (!options.format.empty()) return options.format;
  const std::string ending = fs::path(options.output).extension();
  if (ending == ".onnx") return "onnx";
  if (ending == ".safetensors") return "safetensors";
  raise(Fault::usage,
        "--output {}: the ending says neither ONNX nor safetensors; try: --format onnx",
        options.output);
}

void refuse_idle(const Options& options, const std::string& format, const CommandLine& line) {
  if (format == "safetensors") {
    for (const char* key :
         {"opset", "fold-batch-norm", "batch-size", "image-size", "softmax", "nms"}) {
      if (!line.settings.contains(key)) continue;
      raise(Fault::usage, "--{} is about ONNX, {} is safetensors; try: --format onnx", key,
            options.output);
    }
  }
  if (format == "onnx" && options.dtype == FileType::fp16) {
    raise(Fault::usage,
          "--dtype fp16 is for safetensors; try: --dtype bf16, or --output FILE.safetensors");
  }
  if (format == "onnx" && options.dtype == FileType::bf16 &&
      line.settings.contains("fold-batch-norm") && options.fold_batch_norm) {
    raise(Fault::usage,
          "--fold-batch-norm and --dtype bf16 contradict: what is folded would be rounded again; "
          "try: without --fold-batch-norm");
  }
  const bool detects = bool(find_model(options.model).variant.boxes);
  if (detects && options.softmax) {
    raise(Fault::usage, "--softmax is for classifiers, scores of {} are always probabilities",
          options.model);
  }
  if (!detects && options.nms) {
    raise(Fault::usage, "--nms is for detectors, {} finds no boxes", options.model);
  }
  if (options.verify == 0 && line.settings.contains("threads"))
    raise(Fault::usage, "--threads changes nothing without --verify; try: --verify 16");
}

// One export in progress: the file, and the text about it.
class Exporting {
 public:
  Exporting(const Options& options, const OpenedModel& opened, std::string format)
      : options_(options),
        format_(std::move(format)),
        source_(options, opened, options.image_size),
        batch_(options.batch_size ? options.batch_size : 16) {}

  void write() {
    make_file();
    if (options_.verify == 0) return write_atomically(options_.output, parts(), Fault::usage);
    remove_leftovers_of(options_.output);
    FileWriter writer(options_.output, Fault::usage);
    for (const std::string_view part : parts()) writer.write(part);
    writer.flush();
    verify(writer.temporary());
    writer.commit();
  }

  void tell() const { options_.json ? tell_json() : tell_people(); }

 private:
  const Variant& variant() const { return source_.model().variant; }
  // Of the network, before what `add_detection` adds.
  std::vector<std::string> output_names() const {
    if (options_.softmax) return {"probabilities"};
    std::vector<std::string> names;
    for (const NamedValue& output : source_.graph(1).outputs) names.push_back(output.name);
    return names;
  }
  std::string batch_text() const {
    return options_.batch_size ? std::to_string(options_.batch_size) : "N";
  }

  void make_file() {
    const bool rounds = options_.dtype != FileType::fp32;
    if (format_ == "safetensors" || rounds) tensors_.emplace(source_.all_tensors());
    if (rounds)
      tensors_->round_weights(options_.dtype == FileType::fp16 ? DType::f16 : DType::bf16);
    if (format_ == "safetensors") {
      image_.emplace(tensors_->tensors(), source_.metadata());
      return;
    }
    model_ =
        export_onnx(source_.graph(options_.batch_size ? options_.batch_size : 1), source_.tensors(),
                    {.opset = options_.opset,
                     .fold_batch_norm = options_.fold_batch_norm && !rounds,
                     .fixed_batch = options_.batch_size != 0,
                     .softmax = options_.softmax,
                     .bf16 = rounds,
                     .name = variant().name,
                     .metadata = source_.metadata()});
    if (variant().boxes) {
      const DetectorOptions detector;
      const DefaultBoxes boxes(variant().boxes(options_.model_options, source_.image()[1]));
      add_detection(model_, boxes, options_.nms ? &detector : nullptr);
    }
    bytes_ = encode_onnx(model_);
  }

  std::vector<std::string_view> parts() const {
    if (image_) return image_->parts();
    return {bytes_};
  }

  size_t size() const { return image_ ? image_->bytes() : bytes_.size(); }

  // As the file stores them: a file in bf16 must compute what rounded weights do.
  GraphRun::Weights network_weights() const {
    if (!tensors_) return source_.weights();
    return in_fp32([this](const std::string& name) -> const TensorEntry& {
      return *std::ranges::find(tensors_->tensors(), name, &TensorEntry::name);
    });
  }

  // Verifies the file as it is on disk.
  void verify(const fs::path& file) {
    const int threads = options_.threads ? options_.threads : available_cores();
    GraphRun network(source_.graph(batch_, options_.softmax), network_weights(), threads);
    const std::unique_ptr<GraphRun> exported = reopened(file, threads);
    const ExportSource::Pictures pictures = source_.pictures(options_.verify);
    pictures_ = pictures.name;
    agreement_ = compare(network, *exported, output_names(), batch_, source_.image().count(),
                         pictures.images, pictures.source);
    if (agreement_->good()) return;
    raise(Fault::checkpoint,
          "{}: the file computes something else than the network: {} differ by up to {:.3g}, "
          "relative {:.3g}, and top-1 agrees on {} of {} images; nothing was kept",
          options_.output, join(output_names(), ", "), agreement_->absolute, agreement_->relative,
          agreement_->same_top1, agreement_->images);
  }

  std::unique_ptr<GraphRun> reopened(const fs::path& file, int threads) const {
    if (format_ == "safetensors") {
      const SafetensorsFile again = SafetensorsFile::read(file);
      const auto find = [&](const std::string& name) -> const TensorEntry& {
        return again.at(name);
      };
      return std::make_unique<GraphRun>(source_.graph(batch_), in_fp32(find), threads);
    }
    OnnxModel model = decode_onnx(read_file(file, Fault::checkpoint), options_.output);
    if (variant().boxes) remove_detection(model);
    OnnxImport import = import_onnx(model, batch_, options_.output);
    return std::make_unique<GraphRun>(
        std::move(import.graph),
        [&](const std::string& name) { return std::span(import.weights.at(name)); }, threads);
  }

  int64_t folded() const {
    int64_t norms = 0;
    const Graph graph = source_.graph(1);
    for (const int id : graph.order) norms += graph.node(id).op->name == "batch_norm_eval";
    for (const OnnxNode& node : model_.nodes) norms -= node.op == "BatchNormalization";
    return norms;
  }

  void tell_people() const {
    const Shape& image = source_.image();
    if (format_ == "onnx") {
      show("{}: ONNX, operator set {}, {} nodes, {} batch norms folded, {}\n", options_.output,
           model_.opset, model_.nodes.size(), folded(), human_bytes(static_cast<double>(size())));
      std::vector<std::string> outputs;
      for (const OnnxValue& output : model_.outputs) {
        std::string dims = batch_text();
        for (size_t i = 1; i < output.dims.size(); ++i) dims += fmt::format(", {}", output.dims[i]);
        outputs.push_back(fmt::format("{} [{}]", output.name, dims));
      }
      show("image [{}, {}, {}, {}] -> {}\n", batch_text(), image[0], image[1], image[2],
           join(outputs, ", "));
    } else {
      show("{}: safetensors, {} tensors, {}\n", options_.output, tensors_->tensors().size(),
           human_bytes(static_cast<double>(size())));
    }
    if (agreement_) {
      show(
          "read back and compared on {} images ({}): largest difference {:.3g}, relative {:.3g}, "
          "top-1 agrees on {}\n",
          agreement_->images, pictures_, agreement_->absolute, agreement_->relative,
          agreement_->same_top1);
    }
    show("weights {}\n", weights_hash(source_.tensors()));
  }

  void tell_json() const {
    const Shape& image = source_.image();
    nlohmann::ordered_json told{
        {"file", options_.output},          {"format", format_},
        {"dtype", word_of(options_.dtype)}, {"bytes", size()},
        {"model", variant().name},          {"image", {image[0], image[1], image[2]}},
        {"classes", source_.classes()},     {"weights_hash", weights_hash(source_.tensors())}};
    if (format_ == "onnx") {
      told["opset"] = model_.opset;
      told["nodes"] = model_.nodes.size();
      told["folded_batch_norms"] = folded();
      told["batch"] = options_.batch_size ? nlohmann::ordered_json(options_.batch_size) : nullptr;
      std::vector<std::string> outputs;
      for (const OnnxValue& output : model_.outputs) outputs.push_back(output.name);
      told["output"] = outputs.at(0);
      told["outputs"] = outputs;
    }
    if (agreement_) {
      told["verify"] = {{"images", agreement_->images},
                        {"of", pictures_},
                        {"max_abs", agreement_->absolute},
                        {"max_rel", agreement_->relative},
                        {"same_top1", agreement_->same_top1}};
    }
    show_text(json_text(told) + "\n");
  }

  const Options& options_;
  std::string format_;
  ExportSource source_;
  int64_t batch_;
  OnnxModel model_;
  std::string bytes_;                      // for ONNX
  std::optional<StoredTensors> tensors_;   // for safetensors, and for bf16
  std::optional<SafetensorsImage> image_;  // for safetensors
  std::string pictures_;
  std::optional<Agreement> agreement_;
};

int run(const CommandLine& line) {
  Options options;
  const OpenedModel opened = open_model(line, "export", describe, options);
  const std::string format = format_of(options);
  refuse_idle(options, format, line);
  Exporting exporting(options, opened, format);
  exporting.write();
  exporting.tell();
  return 0;
}

}  // namespace

CommandDef export_command() {
  return {
      .name = "export",
      .summary = "write weights as an ONNX or safetensors file",
      .usage = "export --checkpoint FILE|CHECKPOINT|RUN_DIR --output FILE.onnx|FILE.safetensors",
      .details =
          R"(The file is written completely or not at all, and equal weights give equal bytes. An ONNX
file takes `image` [N, channels, height, width], normalised as the metadata in it say, and gives
`logits` [N, classes]; a detector gives `boxes` [N, boxes, 4] and `scores` [N, boxes, classes], or
with --nms `boxes`, `scores` and `classes` of up to 200 objects, and `counts` [N]. Boxes are ymin,
xmin, ymax, xmax as fractions of the image. --verify reads the file back and runs it: it must agree
with the network; of a detector, up to the logits and codes of its boxes.

  convoy export --checkpoint runs/demo --output demo.onnx --verify 100
  convoy export --checkpoint runs/demo/weights/best.safetensors --output best.onnx --softmax
  convoy export --checkpoint runs/demo --weights ema --output demo.safetensors
)",
      .basics =
          "checkpoint weights output format dtype verify json opset fold-batch-norm "
          "batch-size image-size softmax nms model num-classes dataset data-dir "
          "threads",
      .describe = describe,
      .run = run};
}

}  // namespace convoy
