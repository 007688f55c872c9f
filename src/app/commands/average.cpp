// `convoy average`: averages several checkpoints into one weights file.

#include "weights/average.h"

#include <fmt/core.h>

#include <nlohmann/json.hpp>

#include "app/command.h"
#include "app/network/inference.h"
#include "app/network/run_weights.h"
#include "app/options.h"
#include "app/progress.h"
#include "base/error.h"
#include "base/show.h"
#include "train/checkpoint/weights_metadata.h"

namespace convoy {
namespace {

using Json = nlohmann::ordered_json;

enum class Mode { mean, exponential };
constexpr auto words_of(Mode) { return words<Mode>("mean", "exponential"); }

struct Options {
  Mode mode = Mode::mean;
  double decay = 0.99;
  int count = 0;
  int discard_last = 0;
  WeightsKind weights = WeightsKind::model;
  std::string output, filename;

  void describe(Fields& field) {
    field("mode", mode,
          "mean: all count alike; exponential: V = the first, then V = decay V + (1 - decay) next");
    field("decay", decay, "how much of V stays at each file of the exponential mode",
          between(0, 1));
    field("count", count, "only the last N; 0: all", at_least(0), {"N"});
    field("discard-last", discard_last, "leave out the last N, before --count counts", at_least(0));
    field("weights", weights,
          "which ones of checkpoints: the weights themselves, or their moving average");
    field("output", output, "the file to write; default: in the weights folder of the run");
    field("filename", filename, "its name there; default: average-MODE.safetensors");
    if (field.given("decay") && mode != Mode::exponential) {
      raise(Fault::usage, "decay does nothing without mode exponential; try: --mode exponential");
    }
    if (!output.empty() && !filename.empty()) {
      raise(Fault::usage, "--output and --filename both name the file; try: one of them");
    }
  }
};

bool is_run(const fs::path& path) {
  return fs::is_directory(path) && !fs::exists(path / "state.json");
}

// In the order of averaging.
std::vector<RunWeights> chosen_files(const std::vector<std::string>& words,
                                     const Options& options) {
  std::vector<RunWeights> files;
  if (words.size() == 1 && is_run(words[0])) {
    files = checkpoint_weights(words[0], options.weights);
  } else {
    for (const std::string& word : words) {
      files.push_back({word, weights_file(word, options.weights)});
    }
  }
  const auto have = static_cast<int>(files.size());
  if (options.discard_last >= have || options.count > have - options.discard_last) {
    raise(
        Fault::usage,
        "--count {} and --discard-last {}, but there are {} files of weights; try: smaller numbers",
        options.count, options.discard_last, have);
  }
  files.resize(files.size() - static_cast<size_t>(options.discard_last));
  if (options.count) files.erase(files.begin(), files.end() - options.count);
  return files;
}

fs::path output_file(const std::vector<std::string>& words, const Options& options) {
  if (!options.output.empty()) return options.output;
  if (words.size() != 1 || !is_run(words[0])) {
    raise(Fault::usage, "averaging files needs --output FILE; try: --output average.safetensors");
  }
  std::string name = options.filename;
  if (name.empty()) {
    name = fmt::format("average-{}{}", options.weights == WeightsKind::ema ? "ema-" : "",
                       word_of(options.mode));
  }
  if (name.find('/') != name.npos || name.starts_with('.')) {
    raise(Fault::usage, "filename {:?} is no name of a file; try: --output for another folder",
          name);
  }
  if (!name.ends_with(".safetensors")) name += ".safetensors";
  if (name == "best.safetensors" || name == "last.safetensors") {
    raise(Fault::usage, "{} is the training's own file; try: another --filename", name);
  }
  return fs::path(words[0]) / "weights" / name;
}

// The output must not overwrite an input.
void refuse_overwriting(const fs::path& output, const std::vector<RunWeights>& files) {
  std::error_code missing;
  for (const RunWeights& file : files) {
    if (fs::equivalent(file.path, output, missing)) {
      raise(Fault::usage, "{} is averaged itself; try: another --output", output.string());
    }
  }
}

int run(const CommandLine& line) {
  const auto options = read_own<Options>(line);
  if (line.words.empty()) need_words(line, {"RUN_DIR or FILE"});
  const std::vector<RunWeights> files = chosen_files(line.words, options);
  const fs::path output = output_file(line.words, options);
  refuse_overwriting(output, files);

  const bool is_mean = options.mode == Mode::mean;
  WeightsAverage average(is_mean ? std::nullopt : std::optional<double>(options.decay));
  Metadata metadata;
  Json sources = Json::array();
  {
    ProgressLine progress("averaging");
    for (const RunWeights& each : files) {
      progress.at(average.files(), static_cast<int64_t>(files.size()));
      const SafetensorsFile file(read_weights(each.path), each.path.string());
      average.add(file);
      metadata = file.metadata();
      sources.push_back({{"file", each.name}, {"weights", weights_hash(file.tensors())}});
    }
  }
  Json about{{"mode", word_of(options.mode)}};
  if (!is_mean) about["decay"] = options.decay;
  about["of"] = std::move(sources);
  metadata[weights_key::kind] = word_of(options.mode);
  metadata[weights_key::average] = about.dump(-1, ' ', false, Json::error_handler_t::replace);
  for (const TaskDef& task : task_catalog()) {  // metrics of the last file
    for (const MetricDef& def : task.metrics) {
      metadata.erase(weights_key::metric + std::string(def.name));
    }
  }
  const std::vector<TensorEntry> tensors = average.result();
  write_safetensors(output, tensors, std::move(metadata), Fault::usage);
  show("{} of {} files, {} to {}: {}\nweights {}\n", word_of(options.mode), files.size(),
       files.front().name, files.back().name, output.string(), weights_hash(tensors));
  return 0;
}

}  // namespace

CommandDef average_command() {
  return {.name = "average",
          .summary = "average the weights of checkpoints",
          .usage = "average RUN_DIR|FILE... [options]",
          .details =
              R"(Takes the checkpoints of a run in the order of their steps, or files in the order
given, and writes one file of weights that eval, predict and export take like any
other. Sums are kept in double; one checkpoint at a time is in memory. Tensors of
whole numbers, and the model, classes and preprocessing that the file names, are
taken from the last of them. `convoy eval --all` evaluates the result beside the
checkpoints it was made from.

  convoy average runs/demo                        runs/demo/weights/average-mean.safetensors
  convoy average runs/demo -N 5 --discard-last 1
  convoy average runs/demo --mode exponential --decay 0.9
  convoy average a.safetensors b.safetensors --output ab.safetensors
)",
          .describe = describe_options<Options>,
          .run = run};
}

}  // namespace convoy
