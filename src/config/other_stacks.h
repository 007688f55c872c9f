// Options that other training programs have and Convoy does not: what people mean by them, and what
// to type here. For the message about an unknown option.
#pragma once

#include <string>
#include <string_view>
#include <vector>

#include "config/fields.h"

namespace convoy {

// ": in other programs it is the folder of the data; try: --data-dir DIR" for an option of another
// stack, spelled with dashes; empty for a name that none of them has. It advises only options that
// are in `declared`.
std::string advice_for_other_stacks(std::string_view name, const std::vector<Field>& declared);

}  // namespace convoy
