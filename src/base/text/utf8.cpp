#include "base/text/utf8.h"

namespace convoy {

CodePoint first_code_point(std::string_view text) {
  if (text.empty()) return {};
  const auto lead = static_cast<unsigned char>(text[0]);
  if (lead < 0x80) return {lead, 1};
  const size_t more = lead >= 0xf0 ? 3 : lead >= 0xe0 ? 2 : 1;
  if (lead < 0xc2 || lead > 0xf4 || text.size() <= more) return {};
  uint32_t point = lead & (0x3fu >> more);
  for (size_t k = 1; k <= more; ++k) {
    const auto byte = static_cast<unsigned char>(text[k]);
    if ((byte & 0xc0) != 0x80) return {};
    point = point << 6 | (byte & 0x3f);
  }
  if (more == 2 && (point < 0x800 || (point >= 0xd800 && point < 0xe000))) return {};
  if (more == 3 && (point < 0x10000 || point > 0x10ffff)) return {};
  return {point, more + 1};
}

}  // namespace convoy
