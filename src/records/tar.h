// Lists the members of a tar and their offsets. A plain tar stores each member contiguously, so any
// thread can read its content from the file at any time. A tar inside a tar is a range of the same
// file.
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

// The regular files of the tar in bytes [offset, offset + bytes) of the file, in its order.
// Contents are skipped, not read. `origin` names the tar in messages. A damaged, truncated or
// compressed tar, another format, or a sparse member is Fault::data.
std::vector<TarMember> tar_members(const RandomFile& file, uint64_t offset, uint64_t bytes,
                                   const std::string& origin);
std::vector<TarMember> tar_members(const RandomFile& file);

}  // namespace convoy
