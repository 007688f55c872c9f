// Rows that the processes of a run have made in turns, a run of them each, brought to all: small
// ones, such as a sum for each piece of the parameters.
#pragma once

#include <cstddef>
#include <cstdint>
#include <span>
#include <vector>

#include "dist/transport.h"

namespace convoy {

class RowExchange {
 public:
  // Keeps the transport. Rows [cuts[r], cuts[r + 1]) are rank r's.
  RowExchange(Transport& transport, std::vector<int64_t> cuts, size_t row_bytes);

  // All rows, this rank's among them filled; then all are. Every rank at once. Allocates nothing.
  void run(std::span<std::byte> rows);

 private:
  size_t bytes_of(int rank) const;

  Transport& transport_;
  std::vector<int64_t> cuts_;
  size_t row_bytes_;
  std::vector<std::byte> mine_, all_;  // padded to the most that one has
};

}  // namespace convoy
