// Lists that say which ops of a network with bf16 storage read and write bf16: --bf16-lists.
#pragma once

#include <string>
#include <vector>

#include "compile/storage_rules.h"
#include "config/fields.h"

namespace convoy {

// Reads --bf16-lists: words, rules and names of files (docs/precision.md). A run records the rules
// of a file, not its name.
void describe_storage_lists(Fields& field, std::vector<std::string>& lists);

// The rules of words and rules without files, as `describe_storage_lists` leaves them. An op that
// does not exist or that is computed in fp32 alone is a usage error.
StorageRules storage_rules(const std::vector<std::string>& lists);

}  // namespace convoy
