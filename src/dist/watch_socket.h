// Lines of text over TCP that never make the caller wait: what `PeerWatch` talks through.
#pragma once

#include <cstdint>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

namespace convoy {

// One end of a connection. A peer that sends more than a line's worth without an end of line is
// treated as one that left.
class LineSocket {
 public:
  explicit LineSocket(int descriptor);  // takes it
  ~LineSocket();
  LineSocket(LineSocket&& other) noexcept;
  LineSocket& operator=(LineSocket&& other) noexcept;

  // The first of the addresses that answers within the time; none: nobody did.
  static std::optional<LineSocket> connect(const std::string& address, uint16_t port,
                                           double seconds);

  int descriptor() const { return descriptor_; }
  // Sends the line and an end of line; what the system has no room for is dropped whole.
  void send(std::string_view line);
  // The next whole line that has arrived.
  std::optional<std::string> next();
  // Whether the other side has left; lines that came before are still to be had.
  bool is_closed() const { return closed_; }
  // Nothing more will be sent. To close while something is unread would take back what was sent, so
  // read on until the other side has closed.
  void finish();

 private:
  void receive();

  int descriptor_;
  bool closed_ = false;
  std::string unsent_, unread_;
};

}  // namespace convoy
