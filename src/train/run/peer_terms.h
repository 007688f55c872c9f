// Checks before the first step that all processes of a run have the same options and data.
// Collective: every rank calls these functions, and every rank raises the same error.
#pragma once

#include <map>
#include <optional>
#include <string>

#include "data/dataset.h"
#include "dist/transport.h"

namespace convoy {

// The first rank whose terms differ from rank 0's, and the first key that differs.
struct PeerDifference {
  std::string who;  // "rank 1 (host n2)"
  std::string key;
  std::optional<std::string> value, of_first;  // empty: not present
};
std::optional<PeerDifference> peer_difference(Transport& world,
                                              const std::map<std::string, std::string>& mine);

// Fault::data naming rank and sample unless every rank has rank 0's data: the same number of
// samples with the same names, sizes and (where they were read) contents. `split`: "train", "val".
void expect_same_data(Transport& world, const Dataset& data, const std::string& split);

}  // namespace convoy
