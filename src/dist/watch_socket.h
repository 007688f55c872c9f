// Lines of text over TCP that never block the caller. `PeerWatch` communicates through them.
#pragma once

#include <cstdint>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

namespace convoy {

// One end of a connection. If the other end sends more than a line may have without an end of line,
// the connection is treated as closed.
class LineSocket {
 public:
  explicit LineSocket(int descriptor);  // takes ownership
  ~LineSocket();
  LineSocket(LineSocket&& other) noexcept;
  LineSocket& operator=(LineSocket&& other) noexcept;

  // Connects to the first of the addresses that answers in time; empty: none did.
  static std::optional<LineSocket> connect(const std::string& address, uint16_t port,
                                           double seconds);

  int descriptor() const { return descriptor_; }
  // Sends the line and an end of line. If the system has no room, the whole line is dropped.
  void send(std::string_view line);
  // The next complete line that has arrived.
  std::optional<std::string> next();
  // Whether the other side has closed; lines received before can still be read.
  bool is_closed() const { return closed_; }
  // Ends sending. Closing a socket with unread data would discard what was sent, so read on until
  // the other side has closed.
  void finish();

 private:
  void receive();

  int descriptor_;
  bool closed_ = false;
  std::string unsent_, unread_;
};

}  // namespace convoy
