#include "config/config_file.h"

#include <fmt/core.h>
#include <yaml-cpp/yaml.h>

#include <algorithm>
#include <map>
#include <optional>
#include <utility>

#include "base/error.h"
#include "base/file.h"
#include "base/show.h"
#include "base/text.h"
#include "config/value.h"

namespace convoy {
namespace {

constexpr size_t largest_recipe = 1 << 20;

bool has_yaml_name(const fs::path& path) {
  return path.extension() == ".yml" || path.extension() == ".yaml";
}

bool is_file(const fs::path& path) {
  std::error_code ignored;
  return fs::is_regular_file(path, ignored);
}

// The file that `name` means below `folder`. A dot in a name (`resnet50_v1.5`) is no extension.
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

// What stands in one file, before its bases are read.
struct Recipe {
  std::vector<std::pair<std::string, int>> bases;  // name, line
  Settings settings;
};

// Reads the YAML of one file; knows nothing of other files.
class RecipeReader {
 public:
  RecipeReader(std::string path, const std::vector<Field>& known)
      : path_(std::move(path)), known_(known) {}

  Recipe read() {
    std::string text = read_file(path_, Fault::usage);
    if (text.size() > largest_recipe || !is_plain_utf8(text)) {
      raise(Fault::usage, "{}: is not a recipe; it must be YAML text in UTF-8, at most 1 MiB",
            one_line(path_));
    }
    // yaml-cpp takes a quote that is never closed for one that ends with the file. The mark of a
    // document's end, which may not stand inside quotes, makes it notice.
    if (!text.ends_with('\n')) text += '\n';
    text += "...\n";
    std::vector<YAML::Node> documents;
    try {
      documents = YAML::LoadAll(text);
      if (documents.size() > 1) fail(documents[1].Mark(), "a second YAML document; try: only one");
      if (!documents.empty()) read_map(documents[0]);
    } catch (const YAML::Exception& error) {
      const bool is_open_quote =
          error.msg.find("document indicator in scalar") != std::string::npos;
      fail(error.mark, "not valid YAML: " + (is_open_quote ? "a quote is not closed" : error.msg));
    }
    return std::move(recipe_);
  }

 private:
  [[noreturn]] void fail(const YAML::Mark& mark, const std::string& problem) const {
    raise(Fault::usage, "{}:{}: {}", one_line(path_), std::max(mark.line, 0) + 1,
          one_line(problem));
  }

  void read_map(const YAML::Node& root) {
    if (root.IsNull()) return;  // only comments
    if (!root.IsMap()) fail(root.Mark(), "not a map; try: lines of the form `key: value`");
    std::map<std::string, int> seen;
    std::vector<std::string> given;
    for (const auto& entry : root) {
      const YAML::Node& name = entry.first;
      const int line = name.Mark().line + 1;
      if (!name.IsScalar() || name.Scalar().empty()) {
        fail(name.Mark(), "a key that is not plain text; try: lines of the form `key: value`");
      }
      std::string key = dashed(name.Scalar());
      if (key == "<<")
        fail(name.Mark(), "merge keys (<<) are not supported; try: base: OTHER_RECIPE");
      if (const Field* field = find_field(known_, key)) key = field->key;
      if (const auto [first, is_new] = seen.emplace(key, line); !is_new) {
        fail(name.Mark(), fmt::format("{} stands already in line {}; try: only one of them", key,
                                      first->second));
      }
      if (key == "base") {
        read_bases(entry.second);
      } else if (key == record_key) {
        given = split(value_text(key, entry.second), ',');
      } else {
        recipe_.settings[key] = {value_text(key, entry.second), path_, line};
      }
    }
    if (!seen.contains(std::string(record_key))) return;
    for (auto& [key, setting] : recipe_.settings) {
      if (std::ranges::find(given, key) == given.end())
        setting = {setting.text, "recorded default"};
    }
  }

  void read_bases(const YAML::Node& value) {
    if (!value.IsSequence()) {
      recipe_.bases.emplace_back(scalar("base", value), value.Mark().line + 1);
      return;
    }
    for (const YAML::Node& name : value) {
      recipe_.bases.emplace_back(scalar("base", name), name.Mark().line + 1);
    }
  }

  // A list becomes the text an option takes: its elements with commas between.
  std::string value_text(const std::string& key, const YAML::Node& value) const {
    if (!value.IsSequence()) return scalar(key, value);
    std::vector<std::string> parts;
    for (const YAML::Node& element : value) {
      parts.push_back(scalar(key, element));
      if (parts.back().find(',') != std::string::npos || parts.back().empty()) {
        fail(element.Mark(), key + ": an element of a list may not be empty or have a comma");
      }
    }
    return join(parts, ",");
  }

  std::string scalar(const std::string& key, const YAML::Node& value) const {
    if (value.IsNull()) fail(value.Mark(), key + ": has no value; for empty text write ''");
    if (value.IsMap()) {
      fail(value.Mark(),
           key + ": has keys of its own, but options are flat; try: `key: value` alone");
    }
    if (value.IsSequence()) fail(value.Mark(), key + ": a list inside a list; try: one flat list");
    if (value.Tag() != "?" && value.Tag() != "!" && !value.Tag().empty()) {
      fail(value.Mark(), fmt::format("{}: has a tag ({}); try: the value alone", key, value.Tag()));
    }
    return value.Scalar();
  }

  const std::string path_;
  const std::vector<Field>& known_;
  Recipe recipe_;
};

// Follows `base:` from file to file.
class Loader {
 public:
  Loader(const std::vector<std::string>& folders, const std::vector<Field>& known)
      : folders_(folders), known_(known) {}

  const Settings& load(const fs::path& path) {
    const fs::path identity = fs::weakly_canonical(path);
    // A file that several bases share is read once: otherwise chains of them would take 2^n reads.
    if (const auto done = done_.find(identity); done != done_.end()) return done->second;
    open_.push_back(identity);
    Recipe recipe = RecipeReader(path.string(), known_).read();
    Settings merged;
    for (const auto& [name, line] : recipe.bases) {
      for (const auto& [key, setting] : load(find_base(path, name, line))) merged[key] = setting;
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
    // A file may build upon the recipe of its own name.
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

[[noreturn]] void no_such_recipe(const std::string& name, const std::vector<std::string>& folders) {
  const std::vector<std::string> names = list_recipes(folders);
  const std::string near = nearest(name, names);
  std::string advice = "; try: the path of a .yml file";
  if (!near.empty()) {
    advice = "; nearest: " + near;
  } else if (!names.empty()) {
    advice += ", or one of " +
              join({names.begin(), names.begin() + std::min<long>(8, std::ssize(names))}, ", ");
  }
  raise(Fault::usage, "there is no recipe or file {}{}", one_line(name), advice);
}

}  // namespace

Settings load_config(std::string_view name_or_path, const std::vector<std::string>& recipe_folders,
                     const std::vector<Field>& known) {
  const fs::path path(name_or_path);
  std::error_code ignored;
  std::optional<fs::path> found;
  // A bare name is a recipe first, so that a stray file of that name does not hide it.
  if (!has_yaml_name(path)) found = find_recipe(path, recipe_folders);
  if (!found && fs::exists(path, ignored) && !fs::is_directory(path, ignored)) found = path;
  if (!found) found = find_recipe(path, recipe_folders);
  if (!found) no_such_recipe(path.string(), recipe_folders);
  return Loader(recipe_folders, known).load(*found);
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
