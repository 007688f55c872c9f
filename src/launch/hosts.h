// Parses host lists as users write them: `-H n1:2,n2:2` and hostfiles.
#pragma once

#include <string>
#include <string_view>
#include <vector>

namespace convoy {

struct LaunchHost {
  std::string name;
  int slots = 0;  // ranks it takes; 0: not specified
};

// Parses "n1:2,n2,n2"; slots of a repeated host add up. A malformed list is a usage error that
// names `where`.
std::vector<LaunchHost> parse_hosts(std::string_view text, std::string_view where);

// Parses lines "n1 slots=2", "n1:2" or "n1"; # begins a comment. `name` is used in messages.
std::vector<LaunchHost> parse_hostfile(std::string_view text, const std::string& name);

}  // namespace convoy
