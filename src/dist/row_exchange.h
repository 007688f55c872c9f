// An all-gather of small rows (for example one number per chunk of parameters), of which each
// process has filled a range. All rows have the same number of bytes.
#pragma once

#include <cstddef>
#include <cstdint>
#include <span>
#include <vector>

#include "dist/transport.h"

namespace convoy {

class RowExchange {
 public:
  // Borrows the transport. Rank r fills the rows [cuts[r], cuts[r + 1]).
  RowExchange(Transport& transport, std::vector<int64_t> cuts, size_t row_bytes);

  // Collective. On entry this rank's rows are filled, on return all rows. Allocates nothing.
  void run(std::span<std::byte> rows);

 private:
  size_t bytes_of(int rank) const;

  Transport& transport_;
  std::vector<int64_t> cuts_;
  size_t row_bytes_;
  std::vector<std::byte> mine_, all_;  // padded to the most rows of a rank
};

}  // namespace convoy
