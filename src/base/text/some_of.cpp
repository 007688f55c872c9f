#include "base/text/some_of.h"

#include <fmt/core.h>

#include "base/text/text.h"

namespace convoy {

std::string some_of(const std::vector<std::string>& names, size_t most) {
  if (names.size() <= most) return join(names, ", ");
  const std::vector<std::string> first(names.begin(), names.begin() + static_cast<ptrdiff_t>(most));
  return fmt::format("{} and {} more", join(first, ", "), names.size() - most);
}

}  // namespace convoy
