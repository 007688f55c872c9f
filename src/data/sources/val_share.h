// Which pictures of a class are for evaluation where no folder says it.
#pragma once

#include <string>
#include <vector>

namespace convoy {

// For each name whether it is. A name decides by its hash alone, so that a picture that is added
// moves no other, whatever the run's seed is, and renaming a class moves none either. About
// `share` of many; of two or more at least one for either use.
std::vector<bool> held_out(const std::vector<std::string>& names, double share);

}  // namespace convoy
