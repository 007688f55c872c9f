// A sample as it is stored, to compare copies of a set on several machines.
#pragma once

#include <cstdint>
#include <string>

namespace convoy {

struct KeptSample {
  std::string name;  // the same in every copy: a path below the set's folder, or a record's offset
  uint64_t bytes = 0;  // of its file or record; 0: unknown
  bool operator==(const KeptSample&) const = default;
};

}  // namespace convoy
