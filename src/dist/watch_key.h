// The secret of a run's watch, which all ranks have from MPI and which is never sent to its port:
// either side proves that it knows it by a keyed hash of what the other has just drawn.
#pragma once

#include <optional>
#include <string>
#include <string_view>

#include "base/sip_hash.h"

namespace convoy {

class WatchKey {
 public:
  static WatchKey drawn();
  // 32 hex digits, as `text` gives them; none: it is something else.
  static std::optional<WatchKey> read(std::string_view text);
  std::string text() const;

  // 32 hex digits that only those can make who know the key.
  std::string proof(std::string_view claim) const;
  // In a time that does not depend on where a wrong one differs.
  bool is_proof(std::string_view proof, std::string_view claim) const;

 private:
  SipKey key_{};
};

// 32 hex digits from the random numbers of the system.
std::string drawn_challenge();

}  // namespace convoy
