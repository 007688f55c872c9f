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

// The address that others knock at.
class WatchDoor {
 public:
  // On every address of this host, or only those of `interfaces`: names and networks such as
  // 10.0.0.0/24, separated by commas. None that exists is Fault::usage.
  explicit WatchDoor(const std::string& interfaces = "");
  ~WatchDoor();
  WatchDoor(const WatchDoor&) = delete;
  WatchDoor& operator=(const WatchDoor&) = delete;

  // "TOKEN PORT ADDRESS...", to be told to the others.
  std::string address() const;
  int descriptor() const { return descriptor_; }
  uint64_t token() const { return token_; }
  // Somebody who knocks; none: nobody does.
  std::optional<LineSocket> accept() const;

 private:
  int descriptor_ = -1;
  uint16_t port_ = 0;
  uint64_t token_ = 0;  // nobody gets in without knowing it
  std::vector<std::string> addresses_;
};

// Numeric addresses of this host, loopback last; only those that `interfaces` mentions, if any.
std::vector<std::string> host_addresses(const std::string& interfaces);

}  // namespace convoy
