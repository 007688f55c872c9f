#include "train/checkpoint/load_weights.h"

#include <algorithm>
#include <set>

#include "base/error.h"
#include "base/text/text.h"
#include "train/checkpoint/checkpoint.h"
#include "train/tasks/task.h"

namespace convoy {
namespace {

Graph graph_of(const FoundModel& model, int classes, int channels,
               const ModelOptions& options = {}) {
  Shape image = model.image();
  image[0] = channels;
  return used_graph({.model = model, .classes = classes, .options = options}, image);
}

// The convolution that reads the image: the first parameter.
const std::string& stem_of(const Graph& graph) { return graph.params.front().name; }

std::vector<Wanted> all_of(const Graph& graph) {
  std::vector<Wanted> all;
  for (const Param& p : graph.params) {
    all.push_back({p.name, p.shape, false, p.name == stem_of(graph)});
  }
  for (const Stat& s : graph.stats) all.push_back({s.name, s.shape, false});
  return all;
}

// The number of image channels of a state's model, from the shape of its first convolution.
int channels_of(const FoundModel& model, const ModelOptions& options, const StateLayout& layout) {
  const Graph graph = graph_of(model, 2, model.family.channels, options);
  const Param& stem = graph.params.front();
  for (const StateLayout::Slot& slot : layout.params) {
    if (slot.name != stem.name || slot.shape == stem.shape || slot.shape.rank() != 4) continue;
    return static_cast<int>(slot.shape[1]);
  }
  return model.family.channels;
}

std::string advice(const WeightFile& file, const FoundModel& model, const ModelOptions& options,
                   const Match& match, const StateLayout& layout) {
  if (match.missing.empty() && match.unused.empty() && match.only_classes_differ()) {
    if (!match.recoloured.empty()) {
      const Match::Pair& stem = match.recoloured.front();
      return fmt::format("; try: images of {} channels",
                         arranged(stem.source->shape, stem.how.arrangement)[1]);
    }
    return fmt::format("; try: --num-classes {}", match.different.front().shape[0]);
  }
  const std::vector<std::string> fits =
      models_that_fit(file, model, channels_of(model, options, layout));
  if (fits.empty()) return "; try: weights of the same model";
  constexpr size_t most = 3;
  std::vector<std::string> named(
      fits.begin(), fits.begin() + static_cast<ptrdiff_t>(std::min(most, fits.size())));
  return fmt::format("; it fits {}{}; try: --model {}", join(named, ", "),
                     fits.size() > most ? " …" : "", fits.front());
}

bool is_of_checkpoint(const fs::path& path) {
  std::error_code ignored;
  return fs::exists(path.parent_path() / "state.json", ignored);
}

}  // namespace

std::string read_weights(const fs::path& path) {
  if (!is_of_checkpoint(path)) return read_file(path, Fault::checkpoint);
  return read_checkpoint_file(path.parent_path(), path.filename().string());
}

WeightFile open_weights(const fs::path& path) {
  if (!is_of_checkpoint(path)) return WeightFile::read(path);
  return WeightFile::of(SafetensorsFile(read_weights(path), path.string()));
}

std::set<std::string> heads_of(const FoundModel& model, const ModelOptions& options) {
  const int channels = model.family.channels;
  const Graph few = graph_of(model, 2, channels, options);
  const Graph more = graph_of(model, 3, channels, options);
  std::set<std::string> heads;
  for (size_t i = 0; i < few.params.size(); ++i) {
    if (few.params[i].shape != more.params[i].shape) heads.insert(few.params[i].name);
  }
  return heads;
}

std::vector<Wanted> wanted_by(const FoundModel& model, int classes, int channels) {
  const std::set<std::string> heads = heads_of(model);
  std::vector<Wanted> all = all_of(graph_of(model, classes, channels));
  for (Wanted& want : all) want.head = heads.contains(want.name);
  return all;
}

std::string WeightReport::line() const {
  return fmt::format("{} ({}{}{}): {}", file, format, note.empty() ? "" : ", ", note, verdict);
}

std::vector<std::string> models_that_fit(const WeightFile& file, const FoundModel& first,
                                         int channels) {
  std::vector<std::string> own, others;
  const size_t tensors = tensors_to_match(file);
  for (const ModelDef& family : model_catalog()) {
    for (const Variant& variant : family.variants) {
      try {
        const FoundModel model{family, variant};
        std::vector<Wanted> wanted = all_of(graph_of(model, family.classes, channels));
        if (wanted.size() != tensors) continue;  // a cheap test before comparing names
        const Match names = match_weights(file, wanted);
        if (!names.missing.empty() || !names.unused.empty()) continue;
        wanted = wanted_by(model, family.classes, channels);
        if (!match_weights(file, wanted).fits(HeadPolicy::may_be_new)) continue;
      } catch (const Error&) {
        continue;  // this model does not take that many channels
      }
      (&family == &first.family ? own : others).push_back(variant.name);
    }
  }
  own.insert(own.end(), others.begin(), others.end());
  return own;
}

WeightReport load_weights(const WeightFile& file, const FoundModel& model, State& state,
                          HeadPolicy policy, const ModelOptions& options) {
  const StateLayout& layout = state.layout();
  const std::set<std::string> heads = heads_of(model, options);
  struct Target {
    std::span<float> region;
    const StateLayout::Slot* slot;
  };
  std::vector<Wanted> wanted;
  std::vector<Target> places;
  const std::string stem = stem_of(graph_of(model, 2, model.family.channels, options));
  for (const auto& slot : layout.params) {
    wanted.push_back({slot.name, slot.shape, heads.contains(slot.name), slot.name == stem});
    places.push_back({state.params(), &slot});
  }
  for (const auto& slot : layout.stats) {
    wanted.push_back({slot.name, slot.shape, false});
    places.push_back({state.stats(), &slot});
  }
  const Match match = match_weights(file, wanted);
  WeightReport report{file.origin(), std::string(file.format()), file.note(), match.verdict()};
  if (!match.rename.empty()) {
    if (!report.note.empty()) report.note += ", ";
    report.note += fmt::format("{} names", match.rename);
  }
  if (!match.fits(policy)) {
    raise(Fault::checkpoint, "{} does not fit {}: {}{}", file.origin(), model.variant.name,
          report.verdict, advice(file, model, options, match, layout));
  }
  const auto place_of = [&](const Match::Pair& pair) {
    const Target& place = places[static_cast<size_t>(pair.wanted - wanted.data())];
    return place.region.subspan(static_cast<size_t>(place.slot->offset),
                                static_cast<size_t>(place.slot->count));
  };
  std::vector<std::string> fresh;
  for (const Match::Pair& pair : match.pairs) {
    if (policy == HeadPolicy::is_new && pair.wanted->head) {
      fresh.push_back(pair.wanted->name);
    } else {
      copy_renamed(*pair.source, pair.how, place_of(pair));
    }
  }
  if (!fresh.empty()) {
    report.verdict =
        fmt::format("{} of {} tensors; new: {} (as many classes, but others)",
                    match.pairs.size() - fresh.size(), match.wanted, join(fresh, ", "));
  }
  for (const Match::Pair& pair : match.recoloured) {
    const Shape shape = arranged(pair.source->shape, pair.how.arrangement);
    std::vector<float> whole(static_cast<size_t>(shape.count()));
    copy_renamed(*pair.source, pair.how, whole);
    copy_recoloured(whole, shape, place_of(pair), pair.wanted->shape);
  }
  return report;
}

}  // namespace convoy
