#include "base/error.h"

namespace convoy {

void broken_promise(std::string_view why, const std::source_location& where) {
  const std::string_view path = where.file_name();
  const size_t src = path.rfind("src/");
  raise(Fault::bug, "internal error: {} ({}:{}); please report it with the command you ran", why,
        src == std::string_view::npos ? path : path.substr(src), where.line());
}

}  // namespace convoy
