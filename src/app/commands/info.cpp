// `convoy info`: describes a model, a weights file, a checkpoint or a run; without a word, this
// machine.

#include <fmt/core.h>

#include <map>
#include <utility>

#include "app/command.h"
#include "app/network/model_facts.h"
#include "app/options.h"
#include "app/train/run.h"
#include "base/error.h"
#include "base/files/folder.h"
#include "base/process.h"
#include "base/show.h"
#include "base/text/text.h"
#include "base/threads/cores.h"
#include "data/sources/data_file.h"
#include "export/onnx_file.h"
#include "report/finished.h"
#include "tensor/isa.h"
#include "tensor/onednn.h"
#include "train/checkpoint/checkpoint.h"
#include "train/checkpoint/load_weights.h"
#include "version.h"
#include "weights/safetensors.h"

namespace convoy {
namespace {

struct Options {
  int num_classes = 0;
  int image_size = 0;
  bool tensors = false;

  void describe(Fields& field) {
    field("num-classes", num_classes, "classes of a model's head; 0: those of its usual data",
          at_least(0));
    field("image-size", image_size, "height and width of a model's images; 0: its own",
          at_least(0));
    field("tensors", tensors, "list every tensor of a weights or ONNX file");
  }
};

void about_machine() {
  show("convoy   {} ({}, {})\n", version, build_type, compiler);
  show("oneDNN   {}\n", onednn::version());
  show("cpu      {}, {} cores usable, {} ({} channels a block)\n", cpu_model(), available_cores(),
       name(isa_level()), channel_block());
  show("memory   {}\n", human_bytes(static_cast<double>(memory_limit_bytes())));
  show("recipes  {}\n", join(recipe_folders(), ", "));
}

void about_model(const FoundModel& model, const Options& options) {
  const ModelFacts facts = model_facts(model, options.num_classes, options.image_size);
  show("{:<44} {:<18} {:>12}\n", "layer", "output", "parameters");
  for (const int id : facts.graph.order) {
    const Node& node = facts.graph.node(id);
    if (!node.op->kernel) continue;
    int64_t parameters = 0;
    for (const Value v : node.in) {
      if (facts.graph.info(v).region == &regions::params)
        parameters += facts.graph.type(v).shape.count();
    }
    show("{:<44} {:<18} {:>12}\n", node.name, to_string(facts.graph.type(node.out[0]).shape),
         parameters ? with_commas(parameters) : "");
  }
  show("{}: {} parameters, {} batch-norm statistics, {:.3f} GMACs an image\n", model.variant.name,
       with_commas(facts.trainable), with_commas(facts.statistics), facts.multiply_adds / 1e9);
}

void about_weights(const fs::path& path, const Options& options) {
  const WeightFile file = open_weights(path);
  int64_t elements = 0;
  for (const TensorEntry& t : file.tensors()) {
    elements += t.shape.count();
    if (options.tensors) show("{:<48} {} {}\n", t.name, name(t.dtype), to_string(t.shape));
  }
  for (const auto& [key, value] : file.metadata()) show("{:<36} {}\n", key, value);
  show("{}: {}, {} tensors, {} elements\nweights {}\n", path.string(), file.format(),
       file.tensors().size(), with_commas(elements), weights_hash(file.tensors()));
}

std::string onnx_shape(const OnnxValue& value) {
  std::vector<std::string> dims;
  for (const int64_t dim : value.dims) dims.push_back(dim < 0 ? "N" : std::to_string(dim));
  return "[" + join(dims, ", ") + "]";
}

void about_onnx(const fs::path& path, const Options& options) {
  const OnnxModel model = read_onnx(path);
  int64_t elements = 0;
  for (const OnnxTensor& t : model.constants) {
    elements += t.shape.count();
    if (options.tensors) show("{:<48} {}\n", t.name, to_string(t.shape));
  }
  std::map<std::string, int64_t> ops;
  for (const OnnxNode& node : model.nodes) ++ops[node.op];
  for (const auto& [op, count] : ops) show("{:<36} {}\n", op, count);
  for (const auto& [key, value] : model.metadata) {
    show("{:<36} {}\n", key, value);
  }
  for (const auto& [kind, values] : {std::pair{"input", model.inputs}, {"output", model.outputs}}) {
    for (const OnnxValue& value : values) {
      show("{:<36} {} {}\n", kind, value.name, onnx_shape(value));
    }
  }
  show("{}: ONNX, operator set {}, written by {} {}, {} nodes, {} tensors, {} elements\n",
       path.string(), model.opset, model.producer, model.producer_version, model.nodes.size(),
       model.constants.size(), with_commas(elements));
}

void about_checkpoint(const fs::path& path) {
  const Checkpoint c = read_checkpoint(path);
  show("{}: step {}, epoch {:.2f}, {} samples\n", path.string(), c.state.step, c.state.epoch,
       with_commas(c.state.samples));
  for (const auto& [key, value] : c.state.numbers) show("  {:<20} {}\n", key, value);
  for (const auto& [key, value] : c.state.texts) show("  {:<20} {}\n", key, value);
  for (const auto& [file, bytes] : c.files) {
    show("  {:<28} {}\n", file, human_bytes(static_cast<double>(bytes.size())));
  }
}

void about_run(const RunDir& dir) {
  show_text(is_there(dir.summary()) ? read_file(dir.summary(), Fault::checkpoint)
                                    : "no epoch yet\n");
  const CheckpointStore store(dir.path(), 1);
  for (const int64_t step : store.steps()) show("checkpoints/{}\n", checkpoint_name(step));
  const std::string name = dir.path().string();
  const std::optional<FinishedRun> end = finished_run(dir);
  if (!end) {
    show("not finished; go on with: convoy resume {}\n", name);
    return;
  }
  show(
      "finished at step {}; use it with:\n"
      "  convoy eval --checkpoint {}\n"
      "  convoy predict --checkpoint {} --input PICTURE\n"
      "  convoy export --checkpoint {} --output FILE.onnx\n",
      end->step, name, name, name);
}

int run(const CommandLine& line) {
  const auto options = read_own<Options>(line);
  if (line.words.size() > 1) {
    raise(Fault::usage, "info takes one thing at a time, not {} and {}; try: one of them",
          one_line(line.words[0]), one_line(line.words[1]));
  }
  if (line.words.empty()) {
    about_machine();
    return 0;
  }
  const fs::path path = line.words[0];
  if (!is_there(path)) {
    if (path.string().find('/') != std::string::npos || path.has_extension()) {
      raise(Fault::usage,
            "there is no {}; try: a weights file, a run directory, or the name of a model",
            one_line(path.string()));
    }
    about_model(find_model(path.string()), options);
  } else if (path.extension() == ".onnx") {
    about_onnx(path, options);
  } else if (!is_folder(path)) {
    about_weights(path, options);
  } else if (is_there(path / "state.json")) {
    about_checkpoint(path);
  } else {
    about_run(RunDir::look(path));
  }
  return 0;
}

}  // namespace

CommandDef info_command() {
  return {
      .name = "info",
      .summary = "describe a model, a weights or ONNX file, a checkpoint, a run, or this machine",
      .usage = "info [MODEL|FILE|CHECKPOINT|RUN_DIR]",
      .details = R"(
  convoy info                                   this machine and build
  convoy info cifar_resnet20                    layers, parameters, multiply-adds
  convoy info runs/demo/weights/best.safetensors
  convoy info runs/demo.onnx
  convoy info runs/demo
)",
      .describe = describe_options<Options>,
      .run = run};
}

}  // namespace convoy
