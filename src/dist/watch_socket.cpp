#include "dist/watch_socket.h"

#include <netdb.h>
#include <netinet/in.h>
#include <netinet/tcp.h>
#include <poll.h>
#include <sys/socket.h>
#include <unistd.h>

#include <array>
#include <cerrno>
#include <memory>
#include <utility>

namespace convoy {
namespace {

constexpr size_t longest = 1 << 16;

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

}  // namespace convoy
