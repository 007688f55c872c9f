#include "app/options.h"

#include <fmt/core.h>

#include <algorithm>

#include "base/error.h"
#include "base/files/file.h"
#include "base/show.h"
#include "base/text/text.h"
#include "config/config_file.h"
#include "dist/world.h"
#include "models/model.h"

namespace convoy {
namespace {

bool is_recorded(const Setting& setting) {
  return fs::path(setting.origin).filename() == "args.yml";
}

bool is_model(const std::string& word) {
  return std::ranges::any_of(model_catalog(), [&](const ModelDef& family) {
    return std::ranges::find(family.variants, word, &Variant::name) != family.variants.end();
  });
}

// The options that take what the word names (a file, a folder …), the most likely first.
std::vector<std::string> options_for(const std::string& word) {
  std::error_code ignored;
  const fs::path path(word);
  const std::string ending = path.extension();
  const auto is = [&](std::initializer_list<std::string_view> endings) {
    return std::ranges::find(endings, ending) != endings.end();
  };
  if (fs::is_directory(path, ignored)) {
    const bool is_run = fs::exists(path / "args.yml", ignored) ||
                        fs::exists(path / "state.json", ignored) ||
                        fs::exists(path / "checkpoint", ignored);
    if (is_run) return {"checkpoint", "init-from"};
    return {"data-dir", "input", "checkpoint"};
  }
  if (is({".yml", ".yaml"})) return {"config"};
  if (is({".jpg", ".jpeg", ".png", ".JPG", ".JPEG", ".PNG", ".npy"})) return {"input"};
  if (is({".safetensors", ".pt", ".pth", ".th", ".ckpt", ".tar", ".npz"}))
    return {"checkpoint", "init-from"};
  const std::vector<std::string> recipes = list_recipes(recipe_folders());
  if (std::ranges::find(recipes, word) != recipes.end()) return {"config"};
  if (is_model(word)) return {"model"};
  if (word.find('/') != std::string::npos) return {"checkpoint", "data-dir"};
  return {};
}

// "--checkpoint runs/a" for an extra word; empty: no option suits it.
std::string option_for(const std::string& word, const CommandLine& line,
                       const std::vector<Field>& known) {
  for (const std::string& key : options_for(word)) {
    if (find_field(known, key) && !line.settings.contains(key)) {
      return fmt::format("--{} {}", key, one_line(word));
    }
  }
  return "";
}

}  // namespace

std::vector<std::string> recipe_folders() {
  std::error_code error;
  std::vector<fs::path> places{"configs"};
  const fs::path program = fs::read_symlink("/proc/self/exe", error).parent_path();
  if (!error) {
    places.push_back((program / "../../configs").lexically_normal());  // build/release/convoy
    places.push_back((program / "../share/convoy/configs").lexically_normal());
  }
  std::vector<std::string> folders;
  for (const fs::path& place : places) {
    if (!fs::is_directory(place, error)) continue;
    const bool is_same = std::ranges::any_of(
        folders, [&](const std::string& other) { return fs::equivalent(place, other, error); });
    if (!is_same) folders.push_back(place.string());
  }
  return folders;
}

void describe_config(Fields& field, std::string& config) {
  field("config", config, "recipe to build upon: a name below configs/ or a .yml file");
}

Settings resolve(const CommandLine& line, const std::vector<Field>& known,
                 const std::vector<std::string>& folders) {
  const Field* field = find_field(known, "config");
  if (!field) return line.settings;
  const auto typed = line.settings.find("config");
  const bool is_typed = typed != line.settings.end();
  const std::string& name = is_typed ? typed->second.text : field->default_text;
  Settings settings;
  if (!name.empty()) settings = load_config(name, folders, known);
  // Only the record of an earlier run has this key; in a recipe it would have no effect.
  if (const auto found = settings.find("config"); found != settings.end()) {
    if (!is_recorded(found->second) && !found->second.is_default()) {
      raise(Fault::usage, "config \"{}\" ({}) has no meaning in a recipe; try: base: {}",
            one_line(found->second.text), found->second.where(), one_line(found->second.text));
    }
    settings.erase(found);
  }
  for (const auto& [key, setting] : line.settings) settings[key] = setting;
  return settings;
}

void warn_of_overruled(const CommandLine& line) {
  if (line.overruled.empty() || (World::is_joined() && World::get().rank() > 0)) return;
  show(stderr, "Warning: given again later, so that it does not count: {}\n",
       join(line.overruled, ", "));
}

void need_words(const CommandLine& line, const std::vector<std::string>& names,
                const std::vector<Field>& known) {
  if (line.words.size() > names.size()) {
    const std::string& word = line.words[names.size()];
    const std::string option = option_for(word, line, known);
    raise(Fault::usage, "unexpected word \"{}\"; try: {}", one_line(word),
          option.empty() ? "without it; --help shows what the verb takes" : option);
  }
  if (line.words.size() < names.size()) {
    raise(Fault::usage, "missing {}; try: --help, which shows an example",
          names[line.words.size()]);
  }
}

}  // namespace convoy
