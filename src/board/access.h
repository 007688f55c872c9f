// Who may see the board. On the loopback address any user of this machine; on other addresses those
// who have the token. Requests that name another host are refused: a page of someone else could
// otherwise read ours by a name that it makes point here.
#pragma once

#include <optional>
#include <string>
#include <string_view>

#include "board/http_server.h"

namespace convoy {

// Whether the address is reached from this machine only: localhost, 127.*, ::1.
bool is_loopback(std::string_view address);

// 32 hexadecimal digits from the system's source of random numbers.
std::string new_token();

// In a time that depends only on the lengths.
bool equal_in_constant_time(std::string_view a, std::string_view b);

class BoardAccess {
 public:
  // An empty token: requests need none.
  BoardAccess(std::string address, std::string token)
      : address_(std::move(address)), token_(std::move(token)) {}

  // The answer to a request that is not allowed; nothing: it is. A request with the token in its
  // address is answered by a redirection that leaves it in a cookie.
  std::optional<HttpAnswer> refuse(const HttpRequest& request) const;

  const std::string& token() const { return token_; }

 private:
  bool is_our_host(std::string_view host) const;
  bool has_token(const HttpRequest& request) const;

  std::string address_, token_;
};

}  // namespace convoy
