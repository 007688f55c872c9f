// Where the other ranks' watches reach that of rank 0.
#pragma once

#include <optional>
#include <string>
#include <vector>

#include "dist/watch_key.h"
#include "dist/watch_socket.h"

namespace convoy {

class WatchDoor {
 public:
  // Listens at every address of this host, or only at those of `interfaces`: names and networks
  // such as 10.0.0.0/24, separated by commas. None that exists is Fault::usage.
  explicit WatchDoor(const std::string& interfaces = "");
  ~WatchDoor();
  WatchDoor(const WatchDoor&) = delete;
  WatchDoor& operator=(const WatchDoor&) = delete;

  // "KEY PORT ADDRESS PORT ADDRESS ...", to be told to the others, and to them alone.
  const std::string& address() const { return address_; }
  const std::vector<int>& descriptors() const { return files_; }
  const WatchKey& key() const { return key_; }
  // The next connection; none: there is none.
  std::optional<LineSocket> accept() const;

 private:
  WatchKey key_;
  std::string address_;
  std::vector<int> files_;
};

// Numeric addresses of this host, loopback last; only those that `interfaces` mentions, if any.
std::vector<std::string> host_addresses(const std::string& interfaces);

}  // namespace convoy
