#include "launch/hosts.h"

#include <fmt/core.h>

#include <algorithm>

#include "base/error.h"
#include "base/show.h"
#include "base/text/text.h"
#include "config/value.h"

namespace convoy {
namespace {

constexpr int most_slots = 4096;

// The name becomes an argument of ssh, so a leading dash (an option) is refused.
bool is_host_name(std::string_view name) {
  const auto is_fine = [](char c) {
    return (c >= 'a' && c <= 'z') || (c >= 'A' && c <= 'Z') || (c >= '0' && c <= '9') || c == '.' ||
           c == '-' || c == '_';
  };
  return !name.empty() && name.size() < 256 && name[0] != '-' && std::ranges::all_of(name, is_fine);
}

int parse_slots(std::string_view text, std::string_view where) {
  int slots = 0;
  if (!parse_value(text, slots).empty() || slots < 1 || slots > most_slots) {
    raise(Fault::usage, "{}: \"{}\" is no number of slots; try: n1:2, with 1 to {}", where,
          one_line(text), most_slots);
  }
  return slots;
}

void add(std::vector<LaunchHost>& hosts, std::string_view name, int slots, std::string_view where) {
  if (!is_host_name(name)) {
    raise(Fault::usage, "{}: \"{}\" is no name of a host; try: n1:2,n2:2 with names or addresses",
          where, one_line(name));
  }
  const auto same = std::ranges::find(hosts, name, &LaunchHost::name);
  if (same == hosts.end()) {
    hosts.push_back({std::string(name), slots});
  } else {
    same->slots = std::max(same->slots, 1) + std::max(slots, 1);
  }
}

// "n1" or "n1:2"
void add_entry(std::vector<LaunchHost>& hosts, std::string_view entry, std::string_view where) {
  const size_t colon = entry.find(':');
  const bool has_slots = colon != entry.npos;
  add(hosts, entry.substr(0, colon), has_slots ? parse_slots(entry.substr(colon + 1), where) : 0,
      where);
}

}  // namespace

std::vector<LaunchHost> parse_hosts(std::string_view text, std::string_view where) {
  std::vector<LaunchHost> hosts;
  for (const std::string& entry : split(text, ',')) add_entry(hosts, entry, where);
  return hosts;
}

std::vector<LaunchHost> parse_hostfile(std::string_view text, const std::string& name) {
  std::vector<LaunchHost> hosts;
  int number = 0;
  for (const std::string& line : split(text, '\n')) {
    const std::string where = fmt::format("{}:{}", name, ++number);
    const std::vector<std::string> words = split_at_blanks(line.substr(0, line.find('#')));
    if (words.empty()) continue;
    if (words.size() == 1) {
      add_entry(hosts, words[0], where);
    } else if (words.size() == 2 && words[1].starts_with("slots=")) {
      add(hosts, words[0], parse_slots(std::string_view(words[1]).substr(6), where), where);
    } else {
      raise(Fault::usage, "{}: \"{}\" is no line of a hostfile; try: n1 slots=2", where,
            one_line(line));
    }
  }
  if (hosts.empty()) raise(Fault::usage, "{} names no host; try: lines like n1 slots=2", name);
  return hosts;
}

}  // namespace convoy
