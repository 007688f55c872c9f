// Reads a file of named configurations, as Graphcore's configs.yml: a YAML map of names to flat
// maps of options, with anchors (&name), aliases (*name) and merge keys (<<).
#pragma once

#include <map>
#include <string>
#include <string_view>
#include <vector>

#include "config/yaml.h"

namespace convoy {

struct NamedConfig {
  std::string name;
  std::vector<YamlEntry> entries;  // merged ones first; a later one of the same key replaces
};

// Text of another form is a usage error with `origin` and line: nested deeper, an unknown alias, a
// name twice.
std::vector<NamedConfig> read_named_configs(std::string_view text, const std::string& origin);

}  // namespace convoy
