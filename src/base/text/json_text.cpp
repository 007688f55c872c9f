#include "base/text/json_text.h"

#include <nlohmann/json.hpp>

#include "base/show.h"

namespace convoy {

std::string json_text(const nlohmann::ordered_json& json, int indent) {
  return plain_json(
      json.dump(indent, ' ', false, nlohmann::ordered_json::error_handler_t::replace));
}

}  // namespace convoy
