// The listening sockets of rank 0's watch, and the address that the other ranks connect to.
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
  // like 10.0.0.0/24, separated by commas. If none of them exists: Fault::usage.
  explicit WatchDoor(const std::string& interfaces = "");
  ~WatchDoor();
  WatchDoor(const WatchDoor&) = delete;
  WatchDoor& operator=(const WatchDoor&) = delete;

  // "KEY PORT ADDRESS PORT ADDRESS ...". Contains the key: give it to the other ranks only.
  const std::string& address() const { return address_; }
  const std::vector<int>& descriptors() const { return files_; }
  const WatchKey& key() const { return key_; }
  // The next pending connection, if any.
  std::optional<LineSocket> accept() const;

 private:
  WatchKey key_;
  std::string address_;
  std::vector<int> files_;
};

// Numeric addresses of this host, loopback last; only those matched by `interfaces`, if not empty.
std::vector<std::string> host_addresses(const std::string& interfaces);

}  // namespace convoy
