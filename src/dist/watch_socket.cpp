#include "dist/watch_socket.h"

#include <arpa/inet.h>
#include <fcntl.h>
#include <fmt/core.h>
#include <ifaddrs.h>
#include <net/if.h>
#include <netdb.h>
#include <netinet/in.h>
#include <netinet/tcp.h>
#include <poll.h>
#include <sys/random.h>
#include <sys/socket.h>
#include <unistd.h>

#include <algorithm>
#include <array>
#include <cerrno>
#include <cstring>
#include <memory>
#include <utility>

#include "base/error.h"
#include "base/show.h"
#include "base/text.h"
#include "config/value.h"

namespace convoy {
namespace {

constexpr size_t longest = 1 << 16;

std::string numeric(const sockaddr* address) {
  std::array<char, NI_MAXHOST> text{};
  const socklen_t length =
      address->sa_family == AF_INET ? sizeof(sockaddr_in) : sizeof(sockaddr_in6);
  const int failed =
      ::getnameinfo(address, length, text.data(), text.size(), nullptr, 0, NI_NUMERICHOST);
  return failed ? "" : text.data();
}

// "10.0.0.0/24" and an address in it.
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

// Link-local IPv6 addresses mean nothing without an interface of the caller's.
bool is_usable(const ifaddrs& entry) {
  if (!entry.ifa_addr || !(entry.ifa_flags & IFF_UP)) return false;
  if (entry.ifa_addr->sa_family == AF_INET) return true;
  return entry.ifa_addr->sa_family == AF_INET6 &&
         !IN6_IS_ADDR_LINKLOCAL(&reinterpret_cast<const sockaddr_in6*>(entry.ifa_addr)->sin6_addr);
}

// A socket for both families, where the system has both.
int listening_socket(uint16_t& port) {
  const int both = ::socket(AF_INET6, SOCK_STREAM | SOCK_CLOEXEC | SOCK_NONBLOCK, 0);
  const int no = 0;
  sockaddr_in6 any6{};
  any6.sin6_family = AF_INET6;
  any6.sin6_addr = in6addr_any;
  sockaddr_in any4{};
  any4.sin_family = AF_INET;
  int file = both;
  if (both < 0 || ::setsockopt(both, IPPROTO_IPV6, IPV6_V6ONLY, &no, sizeof no) != 0 ||
      ::bind(both, reinterpret_cast<sockaddr*>(&any6), sizeof any6) != 0) {
    if (both >= 0) ::close(both);
    file = ::socket(AF_INET, SOCK_STREAM | SOCK_CLOEXEC | SOCK_NONBLOCK, 0);
    if (file < 0 || ::bind(file, reinterpret_cast<sockaddr*>(&any4), sizeof any4) != 0) {
      raise(Fault::peer, "no socket for the other ranks: {}", std::strerror(errno));
    }
  }
  sockaddr_storage bound{};
  socklen_t length = sizeof bound;
  if (::listen(file, 1024) != 0 ||
      ::getsockname(file, reinterpret_cast<sockaddr*>(&bound), &length) != 0) {
    raise(Fault::peer, "no socket for the other ranks: {}", std::strerror(errno));
  }
  port = ntohs(bound.ss_family == AF_INET6 ? reinterpret_cast<sockaddr_in6*>(&bound)->sin6_port
                                           : reinterpret_cast<sockaddr_in*>(&bound)->sin_port);
  return file;
}

}  // namespace

LineSocket::LineSocket(int descriptor) : descriptor_(descriptor) {
  const int yes = 1;
  ::setsockopt(descriptor_, IPPROTO_TCP, TCP_NODELAY, &yes, sizeof yes);
}

LineSocket::~LineSocket() {
  if (descriptor_ >= 0) ::close(descriptor_);
}

LineSocket::LineSocket(LineSocket&& other) noexcept
    : descriptor_(std::exchange(other.descriptor_, -1)),
      closed_(other.closed_),
      unsent_(std::move(other.unsent_)),
      unread_(std::move(other.unread_)) {}

LineSocket& LineSocket::operator=(LineSocket&& other) noexcept {
  std::swap(descriptor_, other.descriptor_);
  std::swap(closed_, other.closed_);
  std::swap(unsent_, other.unsent_);
  std::swap(unread_, other.unread_);
  return *this;
}

std::optional<LineSocket> LineSocket::connect(const std::string& address, uint16_t port,
                                              double seconds) {
  addrinfo hints{};
  hints.ai_flags = AI_NUMERICHOST | AI_NUMERICSERV;
  hints.ai_socktype = SOCK_STREAM;
  addrinfo* found = nullptr;
  if (::getaddrinfo(address.c_str(), std::to_string(port).c_str(), &hints, &found) != 0) return {};
  const std::unique_ptr<addrinfo, void (*)(addrinfo*)> owner(found, ::freeaddrinfo);
  const int file = ::socket(found->ai_family, SOCK_STREAM | SOCK_CLOEXEC | SOCK_NONBLOCK, 0);
  if (file < 0) return {};
  LineSocket result(file);
  if (::connect(file, found->ai_addr, found->ai_addrlen) == 0) return result;
  pollfd ready{file, POLLOUT, 0};
  int problem = 0;
  socklen_t length = sizeof problem;
  if (errno != EINPROGRESS || ::poll(&ready, 1, static_cast<int>(seconds * 1000)) != 1 ||
      ::getsockopt(file, SOL_SOCKET, SO_ERROR, &problem, &length) != 0 || problem != 0) {
    return {};
  }
  return result;
}

void LineSocket::send(std::string_view line) {
  if (unsent_.size() < longest) unsent_ += std::string(line) + '\n';
  const ssize_t sent =
      ::send(descriptor_, unsent_.data(), unsent_.size(), MSG_NOSIGNAL | MSG_DONTWAIT);
  if (sent > 0) unsent_.erase(0, static_cast<size_t>(sent));
}

void LineSocket::receive() {
  std::array<char, 4096> buffer{};
  while (!closed_) {
    const ssize_t count = ::recv(descriptor_, buffer.data(), buffer.size(), MSG_DONTWAIT);
    if (count > 0) {
      unread_.append(buffer.data(), static_cast<size_t>(count));
      const bool is_line = unread_.find('\n') != unread_.npos;
      if (!is_line && unread_.size() > longest) closed_ = true;
      if (is_line) return;
    } else if (count == 0 || (errno != EAGAIN && errno != EINTR)) {
      closed_ = true;
    } else if (errno == EAGAIN) {
      return;
    }
  }
}

void LineSocket::finish() { ::shutdown(descriptor_, SHUT_WR); }

std::optional<std::string> LineSocket::next() {
  if (unread_.find('\n') == unread_.npos) receive();
  const size_t end = unread_.find('\n');
  if (end == unread_.npos) return {};
  std::string line = unread_.substr(0, end);
  unread_.erase(0, end + 1);
  return line;
}

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

WatchDoor::WatchDoor(const std::string& interfaces) : addresses_(host_addresses(interfaces)) {
  if (addresses_.empty()) {
    raise(Fault::usage, "this host has no network interface \"{}\"; try: ip address",
          one_line(interfaces));
  }
  if (::getrandom(&token_, sizeof token_, 0) != sizeof token_) {
    raise(Fault::bug, "no random number: {}", std::strerror(errno));
  }
  descriptor_ = listening_socket(port_);
}

WatchDoor::~WatchDoor() {
  if (descriptor_ >= 0) ::close(descriptor_);
}

std::string WatchDoor::address() const {
  return fmt::format("{:016x} {} {}", token_, port_, join(addresses_, " "));
}

std::optional<LineSocket> WatchDoor::accept() const {
  const int file = ::accept4(descriptor_, nullptr, nullptr, SOCK_CLOEXEC | SOCK_NONBLOCK);
  if (file < 0) return {};
  return LineSocket(file);
}

}  // namespace convoy
