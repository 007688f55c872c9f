// Reads recipes and writes args.yml. A recipe is a YAML file of flat keys, which are option names.
// `base:` names one or several files it builds on; a later base overrides an earlier one, and the
// file itself overrides all of them.
#pragma once

#include <string>
#include <string_view>
#include <vector>

#include "config/fields.h"

namespace convoy {

// The settings of a recipe, given by path or by name: `cifar10/resnet20` is a file below one of the
// folders, with or without .yml; its last parts are enough if they name only one recipe. A
// setting's origin is the path of the file that set it last. With `known`, a file may override
// under one name what its base set under an alias. Text that is not flat YAML (syntax, nested maps,
// a key twice, no value), a missing file or base, and circular bases are usage errors with file,
// line and key. Unknown keys are not checked here but in `Fields`.
Settings load_config(std::string_view name_or_path, const std::vector<std::string>& recipe_folders,
                     const std::vector<Field>& known = {});

// The settings of a run's args.yml, written by `write_args`. A damaged or incomplete file, or one
// with `base:`, is Fault::checkpoint.
Settings load_record(const std::string& path, const std::vector<Field>& known = {});

// The names of all recipes below the folders, sorted, without .yml. A missing folder has none.
std::vector<std::string> list_recipes(const std::vector<std::string>& recipe_folders);

// The text of args.yml: every field as `key: value  # origin`, sections as comments, and at the
// top, under `given`, the keys whose value is not a default. `load_config` and `load_record` read
// the same values back; keys not listed under `given` get the origin "recorded default".
std::string write_args(const std::vector<Field>& fields);
constexpr std::string_view record_key = "given";

// The text of args.yml with new values of options that were typed for a resume. They are also
// listed under `changed`, and read back with the origin "resume".
std::string amend_args(const std::string& args, const std::vector<Field>& changed);
constexpr std::string_view changed_key = "changed";
constexpr std::string_view resume_origin = "resume";

}  // namespace convoy
