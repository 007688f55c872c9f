// The files of the assets/ folders (style sheets, scripts, pages), which cmake/assets.cmake embeds
// in the program.
#pragma once

#include <string_view>
#include <vector>

namespace convoy {

struct Asset {
  std::string_view name;  // of the file, without its folder: "chart.js"
  std::string_view text;
};

const std::vector<Asset>& assets();  // generated

// Must exist.
std::string_view asset(std::string_view name);

}  // namespace convoy
