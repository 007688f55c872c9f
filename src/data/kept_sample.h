// A sample as it is kept, for comparing the copies of a set on several machines.
#pragma once

#include <cstdint>
#include <string>

namespace convoy {

struct KeptSample {
  std::string name;    // the same in every copy: a path below the set's folder, a record's place
  uint64_t bytes = 0;  // there; 0: no file of its own
  bool operator==(const KeptSample&) const = default;
};

}  // namespace convoy
