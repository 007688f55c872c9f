// What a tar holds, and where: a plain tar keeps each member in one piece, so that its content can
// be read from the file of the tar, at any time and by any thread. A tar inside a tar is a part of
// the same file.
#pragma once

#include <cstdint>
#include <string>
#include <vector>

#include "base/files/random_file.h"

namespace convoy {

struct TarMember {
  std::string name;     // with its folders
  uint64_t offset = 0;  // of the content, in the file
  uint64_t bytes = 0;
};

// The regular files in the tar that fills bytes [offset, offset + bytes) of the file, in its order.
// Contents are skipped, not read. `origin` names the tar in messages. What is damaged, cut off,
// compressed or no tar is Fault::data; so are sparse members.
std::vector<TarMember> tar_members(const RandomFile& file, uint64_t offset, uint64_t bytes,
                                   const std::string& origin);
std::vector<TarMember> tar_members(const RandomFile& file);

}  // namespace convoy
