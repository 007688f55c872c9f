#include "app/options.h"

#include <algorithm>

#include "base/error.h"
#include "base/file.h"
#include "base/show.h"
#include "base/text.h"
#include "config/config_file.h"
#include "dist/world.h"

namespace convoy {
namespace {

bool is_recorded(const Setting& setting) {
  return fs::path(setting.origin).filename() == "args.yml";
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
  // Only the record of an earlier run has the key; in a recipe somebody would expect it to act.
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

void need_words(const CommandLine& line, const std::vector<std::string>& names) {
  if (line.words.size() > names.size()) {
    raise(Fault::usage, "unexpected word \"{}\"; try: an option for it, see --help",
          one_line(line.words[names.size()]));
  }
  if (line.words.size() < names.size()) {
    raise(Fault::usage, "missing {}; try: --help, which shows an example",
          names[line.words.size()]);
  }
}

}  // namespace convoy
