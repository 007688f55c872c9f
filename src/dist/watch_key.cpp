#include "dist/watch_key.h"

#include <fmt/core.h>
#include <sys/random.h>

#include <cerrno>
#include <charconv>
#include <cstring>

#include "base/error.h"

namespace convoy {
namespace {

std::string hex(const std::array<uint64_t, 2>& words) {
  return fmt::format("{:016x}{:016x}", words[0], words[1]);
}

}  // namespace

WatchKey WatchKey::drawn() {
  WatchKey key;
  if (::getrandom(key.key_.data(), sizeof key.key_, 0) != sizeof key.key_) {
    raise(Fault::bug, "no random number: {}", std::strerror(errno));
  }
  return key;
}

std::optional<WatchKey> WatchKey::read(std::string_view text) {
  WatchKey key;
  if (text.size() != 32) return {};
  for (size_t i = 0; i < 2; ++i) {
    const char* begin = text.data() + 16 * i;
    const auto [end, error] = std::from_chars(begin, begin + 16, key.key_[i], 16);
    if (error != std::errc{} || end != begin + 16) return {};
  }
  return key;
}

std::string WatchKey::text() const { return hex(key_); }

std::string WatchKey::proof(std::string_view claim) const { return hex(sip_hash(key_, claim)); }

bool WatchKey::is_proof(std::string_view proof, std::string_view claim) const {
  const std::string right = this->proof(claim);
  if (proof.size() != right.size()) return false;
  unsigned difference = 0;
  for (size_t i = 0; i < right.size(); ++i) {
    difference |= static_cast<unsigned char>(right[i]) ^ static_cast<unsigned char>(proof[i]);
  }
  return difference == 0;
}

std::string drawn_challenge() { return WatchKey::drawn().text(); }

}  // namespace convoy
