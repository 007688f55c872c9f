// Small pictures that can be told apart.
#pragma once

#include <string>

namespace convoy::test {

// A few hundred bytes; size and colours follow from the number.
std::string tiny_jpeg(int number);
std::string tiny_png(int number);

}  // namespace convoy::test
