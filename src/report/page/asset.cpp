#include "report/page/asset.h"

#include <algorithm>

#include "base/error.h"

namespace convoy {

std::string_view asset(std::string_view name) {
  const auto found = std::ranges::find(assets(), name, &Asset::name);
  expect(found != assets().end(), "an asset of this name is in the program");
  return found->text;
}

}  // namespace convoy
