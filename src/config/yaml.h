// The part of YAML that recipes and args.yml are written in: one flat map of keys to scalars and to
// lists of scalars (docs/decisions/0018). What means something else in full YAML, or nothing, is
// refused, never guessed at. Time and memory are proportional to the text.
#pragma once

#include <string>
#include <string_view>
#include <vector>

#include "base/error.h"

namespace convoy {

inline constexpr size_t most_yaml_bytes = 1 << 20;

// One `key: value`. A list is its elements with commas between, as an option takes it; none of them
// is empty or has a comma.
struct YamlEntry {
  std::string key;
  int line = 0;  // of the key, counted from 1
  std::string text;
  bool is_list = false;
};

// The entries in their order; a key may be there twice. Understood are comments; plain, '…' and "…"
// scalars on one line; text blocks (| and |-); lists in brackets, on one line or several, and of
// `- element` lines; one `---` before and one `...` behind. All else (nested maps and lists,
// anchors, aliases, tags, several documents, null) is `fault`, with `origin` and line. So are texts
// that are not UTF-8, beyond 1 MiB or 4,096 keys.
std::vector<YamlEntry> read_yaml(std::string_view text, const std::string& origin, Fault fault);

}  // namespace convoy
