// Plain tars, written by hand.
#pragma once

#include <string>
#include <vector>

namespace convoy::test {

struct TarPart {
  std::string name, content;
  char type = '0';
};

// In ustar's format, with its end mark. Names of more than 100 bytes get GNU's extra header.
std::string tar_of(const std::vector<TarPart>& parts);

}  // namespace convoy::test
