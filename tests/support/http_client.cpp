#include "support/http_client.h"

#include <arpa/inet.h>
#include <sys/socket.h>
#include <unistd.h>

#include <array>

namespace convoy::test {
namespace {

sockaddr_in loopback(int port) {
  sockaddr_in address{};
  address.sin_family = AF_INET;
  address.sin_port = htons(static_cast<uint16_t>(port));
  address.sin_addr.s_addr = htonl(INADDR_LOOPBACK);
  return address;
}

int new_socket() { return ::socket(AF_INET, SOCK_STREAM | SOCK_CLOEXEC, 0); }

}  // namespace

int free_port() {
  const int peer = new_socket();
  sockaddr_in address = loopback(0);
  socklen_t size = sizeof address;
  ::bind(peer, reinterpret_cast<sockaddr*>(&address), size);
  ::getsockname(peer, reinterpret_cast<sockaddr*>(&address), &size);
  ::close(peer);
  return ntohs(address.sin_port);
}

std::string sent_to(int port, const std::string& text) {
  const int peer = new_socket();
  const sockaddr_in address = loopback(port);
  std::string all;
  if (::connect(peer, reinterpret_cast<const sockaddr*>(&address), sizeof address) == 0 &&
      ::send(peer, text.data(), text.size(), MSG_NOSIGNAL) == static_cast<ssize_t>(text.size())) {
    std::array<char, 4096> some{};
    for (ssize_t got = 0; (got = ::recv(peer, some.data(), some.size(), 0)) > 0;) {
      all.append(some.data(), static_cast<size_t>(got));
    }
  }
  ::close(peer);
  return all;
}

std::string fetched(int port, const std::string& path) {
  return sent_to(port, "GET " + path + " HTTP/1.1\r\nHost: localhost\r\nConnection: close\r\n\r\n");
}

}  // namespace convoy::test
