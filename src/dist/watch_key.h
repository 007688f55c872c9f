// The secret of a run's watch. All ranks get it by MPI and it is never sent over TCP: each side
// proves that it knows the key by a keyed hash of the other side's random challenge.
#pragma once

#include <optional>
#include <string>
#include <string_view>

#include "base/sip_hash.h"

namespace convoy {

class WatchKey {
 public:
  static WatchKey drawn();
  // Reads the 32 hex digits that `text` writes; empty if it is something else.
  static std::optional<WatchKey> read(std::string_view text);
  std::string text() const;

  // 32 hex digits: the keyed hash of `claim`.
  std::string proof(std::string_view claim) const;
  // Takes the same time wherever a wrong proof differs.
  bool is_proof(std::string_view proof, std::string_view claim) const;

 private:
  SipKey key_{};
};

// 32 hex digits of the system's random numbers.
std::string drawn_challenge();

}  // namespace convoy
