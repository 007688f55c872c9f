// The thousand classes of ImageNet (ILSVRC 2012), for weights that do not name theirs.
#pragma once

#include <string>
#include <string_view>
#include <vector>

namespace convoy {

// WordNet's ids, sorted: the order of the classes in every usual network ("n01440764", …).
const std::vector<std::string>& imagenet_synsets();

// What one of them is called ("tench"); empty: it is none of them.
std::string_view imagenet_name(std::string_view synset);

}  // namespace convoy
