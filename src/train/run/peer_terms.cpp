#include "train/run/peer_terms.h"

#include "base/error.h"
#include "base/process.h"
#include "base/text/text.h"
#include "data/manifest.h"

namespace convoy {
namespace {

using Terms = std::map<std::string, std::string>;

// Fields are separated by zero bytes, which no key, value or host name contains.
std::string packed(const Terms& terms) {
  std::string text = host_name();
  text += '\0';
  for (const auto& [key, value] : terms) {
    text += key;
    text += '\0';
    text += value;
    text += '\0';
  }
  return text;
}

Terms unpacked(const std::string& text) {
  const std::vector<std::string> parts = split(text, '\0');
  Terms terms;
  for (size_t i = 1; i + 1 < parts.size(); i += 2) terms[parts[i]] = parts[i + 1];
  return terms;
}

std::string name_of(size_t rank, const std::string& packed_terms) {
  return fmt::format("rank {} (host {})", rank, split(packed_terms, '\0')[0]);
}

std::optional<std::string> value_of(const Terms& terms, const std::string& key) {
  const auto found = terms.find(key);
  return found == terms.end() ? std::nullopt : std::optional(found->second);
}

}  // namespace

std::optional<PeerDifference> peer_difference(Transport& world, const Terms& mine) {
  const std::vector<std::string> all = world.all_gather(packed(mine));
  const Terms first = unpacked(all[0]);
  for (size_t rank = 1; rank < all.size(); ++rank) {
    const Terms other = unpacked(all[rank]);
    if (other == first) continue;
    Terms keys = first;
    keys.insert(other.begin(), other.end());
    for (const auto& [key, ignored] : keys) {
      const auto value = value_of(other, key), of_first = value_of(first, key);
      if (value != of_first) return PeerDifference{name_of(rank, all[rank]), key, value, of_first};
    }
  }
  return std::nullopt;
}

void expect_same_data(Transport& world, const Dataset& data, const std::string& split_name) {
  const Manifest manifest(data);
  std::string hashes;
  for (size_t i = 0; i < manifest.pieces(); ++i) hashes += hash_hex(manifest.hash(i));
  const std::vector<std::string> all = world.all_gather(hashes);
  const std::vector<std::string> hosts = world.all_gather(host_name());
  for (size_t rank = 1; rank < all.size(); ++rank) {
    if (all[rank] == all[0]) continue;
    constexpr size_t digits = 16;
    size_t piece = 0;
    while (all[rank].compare(piece * digits, digits, all[0], piece * digits, digits) == 0) ++piece;
    const std::string text = piece < manifest.pieces() ? manifest.text(piece) : "";
    const std::string first = world.broadcast(0, text);
    const std::string other = world.broadcast(static_cast<int>(rank), text);
    raise(Fault::data, "rank {} (host {}): {}/{}; try: the same files on every host", rank,
          hosts[rank], split_name, Manifest::difference(first, other, "rank 0"));
  }
}

}  // namespace convoy
