#include "dialects/dialect.h"

#include <algorithm>

#include "base/text/text.h"
#include "config/fields.h"

namespace convoy {

const Dialect* find_dialect(std::string_view verb) {
  const auto found = std::ranges::find(dialect_catalog(), verb, &Dialect::name);
  return found == dialect_catalog().end() ? nullptr : &*found;
}

const DialectProgram* find_program(const Dialect& dialect, std::string_view word) {
  const size_t slash = word.rfind('/');
  if (slash != word.npos) word.remove_prefix(slash + 1);
  for (const std::string_view ending : {".py", ".sh"}) {
    if (word.ends_with(ending)) word.remove_suffix(ending.size());
  }
  for (const DialectProgram& program : dialect.programs) {
    if (program.name == word) return &program;
  }
  return nullptr;
}

std::vector<std::string> spellings(const DialectRow& row) { return split(row.names, ' '); }

const DialectRow* find_row(const DialectProgram& program, std::string_view name) {
  const std::string wanted = dashed(name);
  for (const std::span<const DialectRow> rows : program.rows) {
    for (const DialectRow& row : rows) {
      for (const std::string& spelling : spellings(row)) {
        if (dashed(spelling) == wanted) return &row;
      }
    }
  }
  return nullptr;
}

}  // namespace convoy
