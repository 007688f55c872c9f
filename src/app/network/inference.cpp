#include "app/network/inference.h"

#include <fmt/core.h>

#include "app/command.h"
#include "app/options.h"
#include "app/train/run.h"
#include "base/error.h"
#include "base/files/folder.h"
#include "base/show.h"
#include "base/text/text.h"
#include "base/threads/cores.h"
#include "config/config_file.h"
#include "data/sources/data_file.h"
#include "data/sources/folder_source.h"
#include "models/model.h"
#include "tensor/f16_overflow.h"
#include "train/checkpoint/weights_metadata.h"
#include "train/kernel_choices.h"
#include "weights/match.h"

namespace convoy {
namespace {

// The options that the weights file contains.
Settings told_by(const WeightFile& file, const std::vector<Field>& declared) {
  Settings settings;
  for (const auto& [key, value] : file.metadata()) {
    if (!key.starts_with(weights_key::option)) continue;
    const std::string option = key.substr(std::string_view(weights_key::option).size());
    if (find_field(declared, option)) settings[option] = {value, file.origin()};
  }
  return settings;
}

// The options known for files like this one, from the table of renames.
Settings known_of(const WeightFile& file, const std::vector<Field>& declared) {
  const KnownTraining training = known_training(file);
  Settings settings;
  for (const auto& [key, value] : training.options) {
    if (find_field(declared, key))
      settings[key] = {value, std::string(training.whose) + " weights"};
  }
  return settings;
}

// A remark about the options of `used` that took effect in `settings`.
std::string told_remark(const WeightFile& file, const Settings& settings, const Settings& used) {
  std::vector<std::string> parts;
  std::string whose;
  for (const auto& [key, setting] : used) {
    const auto found = settings.find(key);
    if (found == settings.end() || found->second.origin != setting.origin) continue;
    parts.push_back(fmt::format("--{} {}", key, setting.text));
    whose = setting.origin;
  }
  if (parts.empty()) return "";
  return fmt::format("{}: {}, used with {}", file.origin(), whose, join(parts, " "));
}

// The data folder of the run whose folder contains the weights (RUN, RUN/weights/FILE,
// RUN/checkpoints/STEP or a file in that). Empty: there is no such run, or it has no data folder.
std::optional<Setting> folder_of_run(const fs::path& weights) {
  std::error_code ignored;
  fs::path folder = fs::absolute(weights, ignored).lexically_normal();
  for (int up = 0; up <= 3 && folder.has_filename(); ++up, folder = folder.parent_path()) {
    const fs::path args = folder / "args.yml";
    if (!fs::exists(args, ignored)) continue;
    const Settings recorded = load_record(args.string());
    const auto found = recorded.find("data-dir");
    if (found == recorded.end() || found->second.text.empty()) return std::nullopt;
    return Setting{found->second.text, args.string()};
  }
  return std::nullopt;
}

struct ChosenWeights {
  WeightFile file;
  Settings settings;
  std::string remark;  // names the settings taken from knowledge about such files; may be empty
};

// The file of --checkpoint, and the settings for the verb: typed options over those in the file, or
// over those known for such files. `declared`: the options of the verb.
ChosenWeights choose_weights(const CommandLine& line, const std::vector<Field>& declared,
                             std::string_view verb) {
  const Settings typed = resolve(line, declared);
  if (!typed.contains("checkpoint")) {
    raise(Fault::usage, "{} needs --checkpoint FILE|RUN_DIR; try: convoy {} --help", verb, verb);
  }
  WeightsKind kind{};
  if (const auto found = typed.find("weights"); found != typed.end()) {
    Fields field({{"weights", found->second}});
    field("weights", kind, "");
  }
  WeightFile file = open_weights(weights_file(typed.at("checkpoint").text, kind));
  Settings settings = told_by(file, declared);
  const Settings published = known_of(file, declared);
  for (const auto& [key, value] : published) settings.emplace(key, value);
  // With another dataset, the file's settings for its own dataset do not apply.
  const auto own = settings.find("dataset");
  const auto asked = typed.find("dataset");
  if (own != settings.end() && asked != typed.end() && own->second.text != asked->second.text) {
    std::erase_if(settings, [](const auto& s) { return s.first.starts_with("generated-"); });
  }
  // The resize before the crop depends on the crop size, so it is dropped with it.
  const auto size = typed.find("image-size");
  const auto own_size = settings.find("image-size");
  if (size != typed.end() && own_size != settings.end() &&
      size->second.text != own_size->second.text) {
    settings.erase("eval-resize");
  }
  if (!settings.contains("data-dir") &&
      (asked == typed.end() || own == settings.end() || own->second.text == asked->second.text)) {
    if (const std::optional<Setting> folder = folder_of_run(typed.at("checkpoint").text)) {
      settings["data-dir"] = *folder;
    }
  }
  // The split of the run's own folder does not apply to a folder that is already split.
  if (const auto folder = typed.find("data-dir");
      folder != typed.end() && is_split(folder->second.text)) {
    settings.erase("val-share");
  }
  for (const auto& [key, value] : typed) settings[key] = value;
  std::string remark = told_remark(file, settings, published);
  return {std::move(file), std::move(settings), std::move(remark)};
}

// Call it after the options were read: checks that the model is known and the data suits it, and
// applies --isa. `origin` names the file in errors.
FoundModel check_model_and_data(InferenceOptions& options, const std::string& origin) {
  if (options.model.empty()) {
    raise(Fault::usage, "{} does not say what model it is; try: --model NAME --dataset NAME",
          origin);
  }
  const FoundModel model = find_model(options.model);
  check_options(model.family, options.model_options);
  options.data.suit(model.image_size(), model.family.channels, model.classes(),
                    task_of(model.family).of_objects);
  limit_isa(options.isa);
  saturate_f16(options.precision.saturates);
  return model;
}

NetworkSpec spec_of(const Shape& image, int64_t batch, const InferenceOptions& options,
                    InferenceNetwork::Norms norms) {
  NetworkSpec spec;
  spec.image = image;
  spec.eval_batch = batch;
  spec.choices = options.choices;
  spec.storage = options.precision.storage();
  spec.eval.folded = norms == InferenceNetwork::Norms::folded;
  return spec;
}

}  // namespace

void InferenceOptions::describe_source(Fields& field) {
  field("checkpoint", checkpoint,
        "a weights file (safetensors, PyTorch, TensorFlow, numpy), a checkpoint folder or a run "
        "directory");
  field("weights", weights,
        "which ones of a checkpoint or run: the weights themselves, or their moving average");
}

void InferenceOptions::describe_split(Fields& field) {
  field("split", split,
        "which part of the dataset: train, val or test. val and test are the same, unless they are "
        "two folders of pictures",
        one_of_any_case({"test", "train", "val"}, {{"validation", "val"}}));
  if (field.given("split") && !wants_training_set()) data.held_out = split;
}

void InferenceOptions::describe_stored(Fields& field) {
  field.section("Model (a file of Convoy says it; what is typed goes before)");
  field("model", model, "the architecture");
  model_options.describe_architecture(field);
  field("num-classes", num_classes, "classes of the head; 0: as many as the dataset has",
        at_least(0));
  field("class-names", class_names,
        "a file that names the classes, one a line in the order of the network's outputs, for "
        "weights that name none; of networks for ImageNet they are known");
  field("class-map", class_map,
        "a file of lines `name in the data = name in the weights`, for classes that are called "
        "otherwise in the data");
  field("seed", seed, "of generated data");
  data.describe(field, false);
}

void InferenceOptions::describe_how(Fields& field) {
  field("threads", threads, "threads that compute; 0: one for each core. Changes no result",
        between(0, 256), {"j"});
  field("isa", isa, "instruction set");
  precision.describe(field);
  describe_choices(field, choices);
}

fs::path weights_file(const fs::path& given, WeightsKind kind) {
  if (!is_there(given) && !is_there(given.string() + ".index")) {
    raise(Fault::checkpoint, "there is no {}; try: a file of weights or a run directory",
          given.string());
  }
  if (!is_folder(given)) {
    if (kind != WeightsKind::model) {
      raise(Fault::usage,
            "{} is one file of weights, so there is no {} to choose; try: without --weights",
            given.string(), word_of(kind));
    }
    return given;
  }
  for (const fs::path& folder : {given, given / "checkpoints/last"}) {
    if (!is_there(folder / "state.json")) continue;
    const fs::path file = folder / fmt::format("{}.safetensors", word_of(kind));
    if (kind == WeightsKind::ema && !is_there(file)) {
      raise(Fault::checkpoint,
            "{} has no ema.safetensors: the run kept no moving average; try: --weights model",
            folder.string());
    }
    return file;
  }
  if (is_there(given / "checkpoint")) return given;  // TensorFlow's
  raise(Fault::checkpoint,
        "{} is neither a checkpoint nor a run directory with one; try: a file of weights",
        given.string());
}

OpenedModel open_model(const CommandLine& line, std::string_view verb,
                       void (*describe)(Fields& field), InferenceOptions& options, bool tells) {
  const std::vector<Field> declared = described(describe);
  if (!line.settings.contains("input")) need_words(line, {}, declared);  // words are pictures
  ChosenWeights chosen = choose_weights(line, declared, verb);
  options.adapt(chosen.settings);
  Fields field(chosen.settings);
  options.describe(field);
  field.finish(declared);
  if (tells && !chosen.remark.empty()) show(stderr, "{}\n", chosen.remark);
  const FoundModel model = check_model_and_data(options, chosen.file.origin());
  return {std::move(chosen.file), std::move(chosen.settings), model,
          line.settings.contains("algorithms")};
}

InferenceNetwork::InferenceNetwork(const InferenceOptions& options, const OpenedModel& opened,
                                   const Shape& image, int classes, int64_t batch, Norms norms)
    : model_(opened.model),
      options_(options.model_options),
      task_(make_task({.model = model_, .classes = classes, .options = options_, .image = image})),
      image_(image),
      plans_(*task_, spec_of(image, batch, options, norms)),
      network_(plans_, options.threads ? options.threads : available_cores()) {
  if (opened.has_rules) warn_of_idle_rules(plans_, options.choices);
}

}  // namespace convoy
