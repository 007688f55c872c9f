// SHA-256 (FIPS 180-4): the checksum that record files of COCO hold of each picture.
#pragma once

#include <string>
#include <string_view>

namespace convoy {

// 64 hexadecimal digits in lower case.
std::string sha256_hex(std::string_view bytes);

}  // namespace convoy
