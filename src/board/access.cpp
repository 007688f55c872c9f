#include "board/access.h"

#include <arpa/inet.h>
#include <fmt/core.h>
#include <sys/random.h>

#include <array>
#include <cerrno>

#include "base/error.h"
#include "base/process.h"

namespace convoy {
namespace {

constexpr std::string_view cookie_name = "convoy_board";

// The host of a Host header, without port and brackets; in small letters.
std::string host_part(std::string_view header) {
  std::string host(header);
  for (char& c : host) c = c >= 'A' && c <= 'Z' ? static_cast<char>(c - 'A' + 'a') : c;
  if (host.starts_with('[')) return host.substr(1, host.find(']') - 1);
  return host.substr(0, host.find(':'));
}

bool is_ip_address(const std::string& host) {
  std::array<unsigned char, sizeof(in6_addr)> bytes{};
  return ::inet_pton(AF_INET, host.c_str(), bytes.data()) == 1 ||
         ::inet_pton(AF_INET6, host.c_str(), bytes.data()) == 1;
}

// The value of our cookie; empty: it is not there.
std::string_view cookie_value(std::string_view cookies) {
  while (!cookies.empty()) {
    const size_t end = cookies.find(';');
    std::string_view one = cookies.substr(0, end);
    while (one.starts_with(' ')) one.remove_prefix(1);
    if (one.starts_with(cookie_name) && one.substr(cookie_name.size()).starts_with('=')) {
      return one.substr(cookie_name.size() + 1);
    }
    cookies.remove_prefix(end == cookies.npos ? cookies.size() : end + 1);
  }
  return {};
}

}  // namespace

bool is_loopback(std::string_view address) {
  // A name may begin like the address: 127.0.0.1.example.
  return address == "localhost" || address == "::1" ||
         (address.starts_with("127.") && is_ip_address(std::string(address)));
}

std::string new_token() {
  std::array<uint8_t, 16> bits{};
  while (::getrandom(bits.data(), bits.size(), 0) != static_cast<ssize_t>(bits.size())) {
    if (errno != EINTR) raise(Fault::bug, "the system has no random numbers");
  }
  std::string token;
  for (const uint8_t byte : bits) token += fmt::format("{:02x}", byte);
  return token;
}

bool equal_in_constant_time(std::string_view a, std::string_view b) {
  if (a.size() != b.size()) return false;
  volatile unsigned different = 0;
  for (size_t i = 0; i < a.size(); ++i) {
    different = different | static_cast<unsigned>(static_cast<unsigned char>(a[i]) ^
                                                  static_cast<unsigned char>(b[i]));
  }
  return different == 0;
}

bool BoardAccess::is_our_host(std::string_view header) const {
  const std::string host = host_part(header);
  if (is_loopback(address_)) return is_loopback(host);
  // An address cannot be made to point elsewhere, unlike a name.
  return host == address_ || is_ip_address(host) || is_loopback(host) ||
         host == host_part(host_name());
}

bool BoardAccess::has_token(const HttpRequest& request) const {
  constexpr std::string_view bearer = "Bearer ";
  const std::string_view authorization = request.authorization;
  const bool by_header = authorization.starts_with(bearer) &&
                         equal_in_constant_time(authorization.substr(bearer.size()), token_);
  return by_header || equal_in_constant_time(cookie_value(request.cookie), token_);
}

std::optional<HttpAnswer> BoardAccess::refuse(const HttpRequest& request) const {
  if (request.method != "GET" && request.method != "HEAD") {
    return HttpAnswer{
        .status = 405, .body = "the board only shows\n", .headers = {{"Allow", "GET"}}};
  }
  if (!is_our_host(request.host)) {
    return HttpAnswer{.status = 403, .body = "this host name is not the board's\n"};
  }
  if (token_.empty() || has_token(request)) return std::nullopt;
  if (request.path == "/" && equal_in_constant_time(request.value("token"), token_)) {
    return HttpAnswer{.status = 303,
                      .body = "",
                      .headers = {{"Location", "/"},
                                  {"Set-Cookie", fmt::format("{}={}; HttpOnly; SameSite=Strict; "
                                                             "Path=/",
                                                             cookie_name, token_)}}};
  }
  return HttpAnswer{.status = 401,
                    .body = "open the address that convoy board printed: it has the token\n"};
}

}  // namespace convoy
