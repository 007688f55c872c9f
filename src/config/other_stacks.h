// Options of other training programs that Convoy does not have: their meaning, and what to type
// here. Used in the message about an unknown option.
#pragma once

#include <string>
#include <string_view>
#include <vector>

#include "config/fields.h"

namespace convoy {

// ": in other programs it is the folder of the data; try: --data-dir DIR" for an option of another
// program, spelled with dashes; empty for an unknown name. Advises only options in `declared`.
std::string advice_for_other_stacks(std::string_view name, const std::vector<Field>& declared);

}  // namespace convoy
