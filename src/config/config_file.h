// Recipes: YAML files of flat keys, which are the option names. `base:` names one or several files
// they build upon; a later base wins over an earlier one, and the file itself over all of them.
#pragma once

#include <string>
#include <string_view>
#include <vector>

#include "config/fields.h"

namespace convoy {

// The settings of a recipe, given by name (`cifar10/resnet20`: a file below one of the folders,
// with or without .yml; its last parts are enough where only one recipe has them) or by path;
// origin = the path of the file that has the last word. `known`, where given, lets a file override
// under one name what its base set under an alias. What is no flat YAML (syntax, nested maps, a key
// twice, no value), a missing file or base, and bases in a circle are usage errors with file, line
// and key. Whether a key means anything is for `Fields` to say.
Settings load_config(std::string_view name_or_path, const std::vector<std::string>& recipe_folders,
                     const std::vector<Field>& known = {});

// The settings of a run's args.yml, which `write_args` wrote. Anything else than such a text, whole
// and without `base:`, is Fault::checkpoint.
Settings load_record(const std::string& path, const std::vector<Field>& known = {});

// Names of all recipes below the folders, sorted, without .yml. A missing folder holds none.
std::vector<std::string> list_recipes(const std::vector<std::string>& recipe_folders);

// The text of args.yml: every field as `key: value  # origin`, sections as comments, and before
// them under `given` the keys that are no defaults. `load_config` reads it back to the same values;
// those not listed there have the origin "recorded default". (`load_record` does so too.)
std::string write_args(const std::vector<Field>& fields);
constexpr std::string_view record_key = "given";

// The text of args.yml with other values of some options, typed for a resume. They are listed under
// `changed` too, and read back with the origin "resume".
std::string amend_args(const std::string& args, const std::vector<Field>& changed);
constexpr std::string_view changed_key = "changed";
constexpr std::string_view resume_origin = "resume";

}  // namespace convoy
