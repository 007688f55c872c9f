#include "train/checkpoint/weights_metadata.h"

#include <nlohmann/json.hpp>

#include "base/error.h"
#include "base/text/json.h"
#include "base/text/text.h"
#include "config/value.h"
#include "tensor/isa.h"
#include "tensor/onednn.h"
#include "version.h"

namespace convoy {
namespace {

using Json = nlohmann::json;

// Typed values may be invalid UTF-8, which JSON cannot contain.
std::string dump(const Json& json) {
  return json.dump(-1, ' ', false, Json::error_handler_t::replace);
}

const std::string* find(const Metadata& about, const char* key) {
  const auto found = about.find(key);
  return found == about.end() ? nullptr : &found->second;
}

[[noreturn]] void misspoken(const std::string& origin, const char* key, std::string_view why) {
  raise(Fault::checkpoint, "{}: its metadata {} is not {}; try: the file as Convoy wrote it",
        origin, key, why);
}

}  // namespace

Metadata weights_metadata(const RunSetup& setup, const WeightsMoment& moment) {
  const RunConfig& config = setup.config;
  Metadata about{{"convoy.version", version},
                 {"convoy.onednn", onednn::version()},
                 {"convoy.isa", std::string(name(isa_level()))},
                 {"convoy.recipe", dump(config.recipe())},
                 {weights_key::kind, !moment.average        ? "model"
                                     : config.average.swa() ? "swa"
                                                            : "ema"},
                 {weights_key::step, std::to_string(moment.step)},
                 {weights_key::epoch, format_value(moment.epoch)},
                 {weights_key::image, to_string(setup.train_set->image_shape())},
                 {weights_key::class_names, dump(setup.train_set->class_names())}};
  if (moment.metric) {
    about[weights_key::metric + std::string(moment.metric->def->name)] =
        format_value(moment.metric->value);
  }

  ToldOptions options = config.data.preprocessing();
  options.emplace_back("model", config.model);
  options.emplace_back("num-classes", std::to_string(config.classes(*setup.train_set)));
  for (const auto& [key, value] : config.model_options.changed_architecture()) {
    options.emplace_back(key, value);
  }
  for (const auto& option : config.precision.told()) options.push_back(option);
  options.emplace_back("winograd", word_of(config.choices.winograd));
  if (!config.choices.rules.empty()) {
    options.emplace_back("algorithms", join(rule_texts(config.choices), ","));
  }
  if (!config.data.def().has_files) options.emplace_back("seed", std::to_string(config.seed));
  for (const auto& [key, value] : options) about[weights_key::option + key] = value;
  return about;
}

std::vector<std::string> told_class_names(const Metadata& about, const std::string& origin) {
  const std::string* text = find(about, weights_key::class_names);
  if (!text) return {};
  Json list;
  try {
    list = parse_json(*text);
  } catch (const JsonError&) {  // raised below
  }
  const bool is_sound = list.is_array() && std::all_of(list.begin(), list.end(),
                                                       [](const Json& n) { return n.is_string(); });
  if (!is_sound) misspoken(origin, weights_key::class_names, "a JSON list of names");
  return list.get<std::vector<std::string>>();
}

std::optional<Shape> told_image(const Metadata& about, const std::string& origin) {
  const std::string* text = find(about, weights_key::image);
  if (!text) return std::nullopt;
  Shape image;
  for (const std::string& part : split(*text, 'x')) {
    int64_t size = 0;
    constexpr int64_t most = 1 << 16;
    const bool is_sound = parse_value(part, size).empty() && size >= 1 && size <= most;
    if (!is_sound || image.rank() == 3) {
      misspoken(origin, weights_key::image, "channels x height x width, as 3x32x32");
    }
    image.append(size);
  }
  if (image.rank() != 3) {
    misspoken(origin, weights_key::image, "channels x height x width, as 3x32x32");
  }
  return image;
}

}  // namespace convoy
