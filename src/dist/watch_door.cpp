#include "dist/watch_door.h"

#include <arpa/inet.h>
#include <fmt/core.h>
#include <ifaddrs.h>
#include <net/if.h>
#include <netdb.h>
#include <netinet/in.h>
#include <sys/socket.h>
#include <unistd.h>

#include <algorithm>
#include <array>
#include <cerrno>
#include <cstring>
#include <memory>

#include "base/error.h"
#include "base/text/text.h"
#include "config/value.h"

namespace convoy {
namespace {

std::string numeric(const sockaddr* address) {
  std::array<char, NI_MAXHOST> text{};
  const socklen_t length =
      address->sa_family == AF_INET ? sizeof(sockaddr_in) : sizeof(sockaddr_in6);
  const int failed =
      ::getnameinfo(address, length, text.data(), text.size(), nullptr, 0, NI_NUMERICHOST);
  return failed ? "" : text.data();
}

// Whether the address is in the network, for example "10.0.0.0/24".
bool is_in_network(const sockaddr* address, const std::string& network) {
  const size_t slash = network.find('/');
  in_addr base{};
  int bits = 0;
  if (address->sa_family != AF_INET || slash == network.npos ||
      ::inet_pton(AF_INET, network.substr(0, slash).c_str(), &base) != 1 ||
      !parse_value(network.substr(slash + 1), bits).empty() || bits < 0 || bits > 32) {
    return false;
  }
  const uint32_t mask = bits ? ~uint32_t{0} << (32 - bits) : 0;
  const uint32_t own = ntohl(reinterpret_cast<const sockaddr_in*>(address)->sin_addr.s_addr);
  return (own & mask) == (ntohl(base.s_addr) & mask);
}

// Link-local IPv6 addresses need an interface of the caller, so they are left out.
bool is_usable(const ifaddrs& entry) {
  if (!entry.ifa_addr || !(entry.ifa_flags & IFF_UP)) return false;
  if (entry.ifa_addr->sa_family == AF_INET) return true;
  return entry.ifa_addr->sa_family == AF_INET6 &&
         !IN6_IS_ADDR_LINKLOCAL(&reinterpret_cast<const sockaddr_in6*>(entry.ifa_addr)->sin6_addr);
}

// Listens at this address only, at a port chosen by the system; -1 on failure.
int listen_at(const std::string& address, uint16_t& port) {
  addrinfo hints{};
  hints.ai_flags = AI_NUMERICHOST | AI_PASSIVE;
  hints.ai_socktype = SOCK_STREAM;
  addrinfo* found = nullptr;
  if (::getaddrinfo(address.c_str(), nullptr, &hints, &found) != 0) return -1;
  const std::unique_ptr<addrinfo, void (*)(addrinfo*)> owner(found, ::freeaddrinfo);
  const int file = ::socket(found->ai_family, SOCK_STREAM | SOCK_CLOEXEC | SOCK_NONBLOCK, 0);
  if (file < 0) return -1;
  sockaddr_storage bound{};
  socklen_t length = sizeof bound;
  if (::bind(file, found->ai_addr, found->ai_addrlen) != 0 || ::listen(file, 1024) != 0 ||
      ::getsockname(file, reinterpret_cast<sockaddr*>(&bound), &length) != 0) {
    const int reason = errno;
    ::close(file);
    errno = reason;
    return -1;
  }
  port = ntohs(bound.ss_family == AF_INET6 ? reinterpret_cast<sockaddr_in6*>(&bound)->sin6_port
                                           : reinterpret_cast<sockaddr_in*>(&bound)->sin_port);
  return file;
}

}  // namespace

std::vector<std::string> host_addresses(const std::string& interfaces) {
  ifaddrs* list = nullptr;
  if (::getifaddrs(&list) != 0) return {};
  const std::unique_ptr<ifaddrs, void (*)(ifaddrs*)> owner(list, ::freeifaddrs);
  std::vector<std::string> outside, inside;
  for (const ifaddrs* entry = list; entry; entry = entry->ifa_next) {
    if (!is_usable(*entry)) continue;
    const std::vector<std::string> names = split(interfaces, ',');
    const bool is_wanted = std::ranges::any_of(names, [&](const std::string& name) {
      return name == entry->ifa_name || is_in_network(entry->ifa_addr, name);
    });
    if (!interfaces.empty() && !is_wanted) continue;
    std::vector<std::string>& where = entry->ifa_flags & IFF_LOOPBACK ? inside : outside;
    if (const std::string text = numeric(entry->ifa_addr); !text.empty()) where.push_back(text);
  }
  outside.insert(outside.end(), inside.begin(), inside.end());
  return outside;
}

WatchDoor::WatchDoor(const std::string& interfaces) : key_(WatchKey::drawn()) {
  const std::vector<std::string> addresses = host_addresses(interfaces);
  if (addresses.empty()) {
    raise(Fault::usage, "this host has no network interface \"{}\"; try: ip address",
          one_line(interfaces));
  }
  address_ = key_.text();
  for (const std::string& address : addresses) {
    uint16_t port = 0;
    const int file = listen_at(address, port);
    if (file < 0) continue;  // an address may just have gone or not be ready yet
    files_.push_back(file);
    address_ += fmt::format(" {} {}", port, address);
  }
  if (files_.empty()) {
    raise(Fault::peer, "no socket for the other ranks: {}", std::strerror(errno));
  }
}

WatchDoor::~WatchDoor() {
  for (const int file : files_) ::close(file);
}

std::optional<LineSocket> WatchDoor::accept() const {
  for (const int door : files_) {
    const int file = ::accept4(door, nullptr, nullptr, SOCK_CLOEXEC | SOCK_NONBLOCK);
    if (file >= 0) return LineSocket(file);
  }
  return {};
}

}  // namespace convoy
