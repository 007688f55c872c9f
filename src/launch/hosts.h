// Hosts as people write them: `-H n1:2,n2:2` and hostfiles.
#pragma once

#include <string>
#include <string_view>
#include <vector>

namespace convoy {

struct LaunchHost {
  std::string name;
  int slots = 0;  // ranks it takes; 0: nobody said
};

// "n1:2,n2,n2": a host named twice has as many more slots. What is no such list is a usage error
// that says `where` it stood.
std::vector<LaunchHost> parse_hosts(std::string_view text, std::string_view where);

// Lines "n1 slots=2", "n1:2" or "n1"; # begins a comment. `name` is for messages.
std::vector<LaunchHost> parse_hostfile(std::string_view text, const std::string& name);

}  // namespace convoy
