// Reads the subset of YAML that recipes and args.yml use: one flat map of keys to scalars and lists
// of scalars (docs/decisions/0018). Text with another meaning in full YAML, or with none, is
// refused. Time and memory are proportional to the text.
#pragma once

#include <string>
#include <string_view>
#include <vector>

#include "base/error.h"

namespace convoy {

inline constexpr size_t most_yaml_bytes = 1 << 20;

// One `key: value`. The elements of a list are joined by commas, as an option takes them; an
// element is never empty and has no comma.
struct YamlEntry {
  std::string key;
  int line = 0;  // of the key, counted from 1
  std::string text;
  bool is_list = false;
};

// The entries in their order; a key may occur twice. Supported are comments; plain, '…' and "…"
// scalars on one line; text blocks (| and |-); lists in brackets, on one line or several, and of `-
// element` lines; one `---` before and one `...` behind. Anything else (nested maps and lists,
// anchors, aliases, tags, several documents, null) is `fault` with `origin` and line; so are text
// that is not UTF-8, and more than 1 MiB or 4,096 keys.
std::vector<YamlEntry> read_yaml(std::string_view text, const std::string& origin, Fault fault);

}  // namespace convoy
