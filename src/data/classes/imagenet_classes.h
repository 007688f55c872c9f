// The thousand classes of ImageNet (ILSVRC 2012), for weights without class names.
#pragma once

#include <string>
#include <string_view>
#include <vector>

namespace convoy {

// WordNet's ids, sorted: the order of classes in all usual networks ("n01440764", …).
const std::vector<std::string>& imagenet_synsets();

// The name of a class ("tench"); empty: the id is not one of ImageNet's.
std::string_view imagenet_name(std::string_view synset);

}  // namespace convoy
