#include "config/config_file.h"

#include <fmt/core.h>

#include <algorithm>
#include <map>
#include <optional>
#include <utility>

#include "base/error.h"
#include "base/files/file.h"
#include "base/show.h"
#include "base/text/text.h"
#include "config/yaml.h"

namespace convoy {
namespace {

bool has_yaml_name(const fs::path& path) {
  return path.extension() == ".yml" || path.extension() == ".yaml";
}

bool is_file(const fs::path& path) {
  std::error_code ignored;
  return fs::is_regular_file(path, ignored);
}

// The file of recipe `name` below `folder`. A dot in a name (`resnet50_v1.5`) begins no extension.
std::optional<fs::path> find_below(const fs::path& folder, const fs::path& name) {
  std::vector<fs::path> spelled{name};
  if (!has_yaml_name(name)) spelled = {name.string() + ".yml", name.string() + ".yaml"};
  for (const fs::path& path : spelled) {
    const fs::path full = (folder / path).lexically_normal();
    if (is_file(full)) return full;
  }
  return std::nullopt;
}

std::optional<fs::path> find_recipe(const fs::path& name, const std::vector<std::string>& folders) {
  for (const std::string& folder : folders) {
    if (auto found = find_below(folder, name)) return found;
  }
  return std::nullopt;
}

// The content of one file, before its bases are read.
struct Recipe {
  std::vector<std::string> bases;
  int bases_line = 0;
  Settings settings;
};

// The text of a recipe or record. A file that is too large is not read; `read_yaml` refuses it too.
std::string read_text(const fs::path& path, Fault fault) {
  std::error_code ignored;
  const uintmax_t bytes = fs::file_size(path, ignored);
  if (!ignored && bytes > most_yaml_bytes) {
    raise(fault, "{} is not a recipe: {} bytes are more than the {} it may have",
          one_line(path.string()), bytes, most_yaml_bytes);
  }
  return read_file(path, fault);
}

// Converts the entries of one file, without its bases. `known` as for load_config.
Recipe to_recipe(std::vector<YamlEntry> entries, const std::string& path,
                 const std::vector<Field>& known, Fault fault) {
  const auto fail = [&](const YamlEntry& entry, const std::string& problem) {
    raise(fault, "{}:{}: {}", one_line(path), entry.line, one_line(problem));
  };
  Recipe recipe;
  std::map<std::string, int> seen;
  std::vector<std::string> given, changed;
  for (YamlEntry& entry : entries) {
    std::string key = dashed(entry.key);
    if (key == "<<") fail(entry, "merge keys (<<) are not supported; try: base: OTHER_RECIPE");
    if (const Field* field = find_field(known, key)) key = field->key;
    if (const auto [first, is_new] = seen.emplace(key, entry.line); !is_new) {
      fail(entry,
           fmt::format("{} stands already in line {}; try: only one of them", key, first->second));
    }
    if (key == "base") {
      if (!entry.is_list) {
        recipe.bases = {entry.text};
      } else if (!entry.text.empty()) {
        recipe.bases = split(entry.text, ',');
      }
      recipe.bases_line = entry.line;
    } else if (key == record_key) {
      given = split(entry.text, ',');
    } else if (key == changed_key) {
      changed = split(entry.text, ',');
    } else {
      recipe.settings[key] = {std::move(entry.text), path, entry.line};
    }
  }
  if (!seen.contains(std::string(record_key))) return recipe;
  std::ranges::sort(given);
  for (auto& [key, setting] : recipe.settings) {
    if (!std::ranges::binary_search(given, key)) setting = {setting.text, "recorded default"};
    const bool is_changed = std::ranges::find(changed, key) != changed.end();
    if (is_changed) setting.origin = resume_origin;
  }
  return recipe;
}

// Follows `base:` from file to file.
class Loader {
 public:
  Loader(const std::vector<std::string>& folders, const std::vector<Field>& known)
      : folders_(folders), known_(known) {}

  const Settings& load(const fs::path& path) {
    const fs::path identity = fs::weakly_canonical(path);
    // A file that several bases share is read once: otherwise a chain of them could take 2^n reads.
    if (const auto done = done_.find(identity); done != done_.end()) return done->second;
    open_.push_back(identity);
    const std::string text = read_text(path, Fault::usage);
    Recipe recipe = to_recipe(read_yaml(text, path.string(), Fault::usage), path.string(), known_,
                              Fault::usage);
    Settings merged;
    for (const std::string& name : recipe.bases) {
      const fs::path base = find_base(path, name, recipe.bases_line);
      for (const auto& [key, setting] : load(base)) merged[key] = setting;
    }
    for (auto& [key, setting] : recipe.settings) merged[key] = std::move(setting);
    open_.pop_back();
    return done_[identity] = std::move(merged);
  }

 private:
  bool is_open(const fs::path& path) const {
    return std::ranges::find(open_, fs::weakly_canonical(path)) != open_.end();
  }

  fs::path find_base(const fs::path& from, const std::string& name, int line) const {
    const auto beside = find_below(from.parent_path(), name);
    if (beside && !is_open(*beside)) return *beside;
    // A file may build on the recipe of the same name.
    const auto recipe = find_recipe(name, folders_);
    if (recipe && !is_open(*recipe)) return *recipe;
    if (beside || recipe) {
      raise(Fault::usage,
            "{}:{}: base: {} builds upon this file itself, in a circle; try: without it",
            one_line(from.string()), line, one_line(name));
    }
    const std::string near = nearest(name, list_recipes(folders_));
    raise(Fault::usage, "{}:{}: base: there is no recipe {}{}", one_line(from.string()), line,
          one_line(name),
          near.empty() ? "; try: a path relative to this file" : "; nearest: " + near);
  }

  const std::vector<std::string>& folders_;
  const std::vector<Field>& known_;
  std::vector<fs::path> open_;  // the files being read, outermost first
  std::map<fs::path, Settings> done_;
};

// The recipes whose path ends with these parts: `resnet20` finds `cifar10/resnet20`.
std::vector<std::string> recipes_ending_in(fs::path name, const std::vector<std::string>& folders) {
  if (has_yaml_name(name)) name.replace_extension();
  const std::string end = "/" + name.generic_string();
  std::vector<std::string> found;
  for (const std::string& recipe : list_recipes(folders)) {
    if (recipe.ends_with(end)) found.push_back(recipe);
  }
  return found;
}

[[noreturn]] void no_such_recipe(const std::string& name, const std::vector<std::string>& folders) {
  const std::vector<std::string> names = list_recipes(folders);
  if (const std::vector<std::string> several = recipes_ending_in(name, folders); !several.empty()) {
    raise(Fault::usage, "{} recipes are called {}; try: one of {}", several.size(), one_line(name),
          join(several, ", "));
  }
  std::string near = nearest(name, names);
  if (near.empty()) {  // a typo in the last part only
    std::vector<std::string> last_parts;
    for (const std::string& each : names) last_parts.push_back(fs::path(each).filename());
    const std::string part = nearest(name, last_parts);
    const auto found = std::ranges::find(last_parts, part);
    if (!part.empty()) near = names[static_cast<size_t>(found - last_parts.begin())];
  }
  std::string advice = "; try: the path of a .yml file";
  if (names.empty()) {
    advice = ", and there are no recipes here" + advice +
             ", or the program in its own place: recipes are in the folder configs beside build";
  } else if (!near.empty()) {
    advice = "; nearest: " + near;
  } else {
    advice += fmt::format(", or one of the {} that `convoy list recipes` shows, such as {}",
                          names.size(), names.front());
  }
  raise(Fault::usage, "there is no recipe or file {}{}", one_line(name), advice);
}

}  // namespace

Settings load_config(std::string_view name_or_path, const std::vector<std::string>& recipe_folders,
                     const std::vector<Field>& known) {
  const fs::path path(name_or_path);
  std::error_code ignored;
  std::optional<fs::path> found;
  // A name without extension means a recipe first, so that a stray file of that name does not hide
  // it.
  if (!has_yaml_name(path)) found = find_recipe(path, recipe_folders);
  if (!found && fs::exists(path, ignored) && !fs::is_directory(path, ignored)) found = path;
  if (!found) found = find_recipe(path, recipe_folders);
  if (!found) {
    const std::vector<std::string> named = recipes_ending_in(path, recipe_folders);
    if (named.size() == 1) found = find_recipe(named.front(), recipe_folders);
  }
  if (!found) no_such_recipe(path.string(), recipe_folders);
  return Loader(recipe_folders, known).load(*found);
}

Settings load_record(const std::string& path, const std::vector<Field>& known) {
  const std::string text = read_text(path, Fault::checkpoint);
  if (!text.ends_with('\n')) {
    raise(Fault::checkpoint,
          "{}: is cut off: its last line has no end; try: a whole copy of the run directory",
          one_line(path));
  }
  Recipe record =
      to_recipe(read_yaml(text, path, Fault::checkpoint), path, known, Fault::checkpoint);
  if (record.bases_line) {
    raise(Fault::checkpoint, "{}:{}: base has no meaning in the record of a run; try: without it",
          one_line(path), record.bases_line);
  }
  return std::move(record.settings);
}

std::vector<std::string> list_recipes(const std::vector<std::string>& recipe_folders) {
  std::vector<std::string> names;
  for (const std::string& folder : recipe_folders) {
    std::error_code error;
    constexpr auto options = fs::directory_options::skip_permission_denied;
    for (fs::recursive_directory_iterator at(folder, options, error), end; !error && at != end;
         at.increment(error)) {
      const fs::path inside = at->path().lexically_relative(folder);
      if (inside.filename().string().starts_with('.')) {
        at.disable_recursion_pending();
      } else if (has_yaml_name(inside) && is_file(at->path())) {
        names.push_back(fs::path(inside).replace_extension().generic_string());
      }
    }
  }
  std::ranges::sort(names);
  names.erase(std::unique(names.begin(), names.end()), names.end());
  return names;
}

}  // namespace convoy
