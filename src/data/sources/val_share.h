// Chooses the evaluation pictures of a class if no folder does.
#pragma once

#include <string>
#include <vector>

namespace convoy {

// For each name: whether it is for evaluation; about `share` of them. Only the hash of a name
// decides, so adding a picture, another seed, or renaming a class moves no other picture. The
// exception: of two or more names each split gets at least one.
std::vector<bool> held_out(const std::vector<std::string>& names, double share);

}  // namespace convoy
