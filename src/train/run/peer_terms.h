// Whether all processes of a run would train the same: their options and their data, before the
// first step. Collective: every rank calls these, and every rank raises the same error.
#pragma once

#include <map>
#include <optional>
#include <string>

#include "data/dataset.h"
#include "dist/transport.h"

namespace convoy {

// The first rank, and the first key of it, whose value is not rank 0's.
struct PeerDifference {
  std::string who;  // "rank 1 (host n2)"
  std::string key;
  std::optional<std::string> value, of_first;  // none: that rank has no such key
};
std::optional<PeerDifference> peer_difference(Transport& world,
                                              const std::map<std::string, std::string>& mine);

// Fault::data that names rank and sample unless every rank has rank 0's data: as many samples, of
// the same names, sizes and, as far as they were looked at, contents. `split`: "train", "val".
void expect_same_data(Transport& world, const Dataset& data, const std::string& split);

}  // namespace convoy
