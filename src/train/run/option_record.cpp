#include "train/run/option_record.h"

#include <algorithm>

#include "base/files/file.h"
#include "base/text/text.h"
#include "config/value.h"

namespace convoy {

std::map<std::string, std::string> option_record(const RunConfig& config) {
  std::map<std::string, std::string> record = config.resolved();
  for (auto& [key, text] : record) {
    if (!is_plain_utf8(text)) text = "hash " + hash_hex(hash_bytes(text));
  }
  return record;
}

std::vector<OptionChange> changed_options(const std::map<std::string, std::string>& recorded,
                                          const RunConfig& config) {
  std::vector<OptionChange> changes;
  if (recorded.empty()) return changes;
  const std::map<std::string, std::string> now = option_record(config);
  for (const auto& [key, before] : recorded) {
    const auto found = now.find(key);
    const std::string value = found == now.end() ? "(default)" : found->second;
    if (value != before) changes.push_back({key, before, value});
  }
  for (const auto& [key, value] : config.recipe()) {
    if (!recorded.contains(key)) changes.push_back({key, "(default)", now.at(key)});
  }
  std::erase_if(changes, [&](const OptionChange& change) {
    return config.changed_on_purpose.contains(change.key);
  });
  return changes;
}

std::string to_text(const std::vector<OptionChange>& changes) {
  constexpr size_t most = 3;
  const auto shown = [](const std::string& text) {
    return text.empty() ? std::string("empty") : one_line(text);
  };
  std::vector<std::string> parts;
  for (size_t i = 0; i < std::min(most, changes.size()); ++i) {
    parts.push_back(fmt::format("{} was {}, now {}", changes[i].key, shown(changes[i].before),
                                shown(changes[i].now)));
  }
  if (changes.size() > most) parts.push_back(fmt::format("and {} more", changes.size() - most));
  return join(parts, "; ");
}

}  // namespace convoy
