#include "dist/row_exchange.h"

#include <algorithm>

#include "base/error.h"

namespace convoy {

RowExchange::RowExchange(Transport& transport, std::vector<int64_t> cuts, size_t row_bytes)
    : transport_(transport), cuts_(std::move(cuts)), row_bytes_(row_bytes) {
  expect(std::ssize(cuts_) == transport.size() + 1, "rows for these processes");
  size_t most = 0;
  for (int rank = 0; rank < transport.size(); ++rank) most = std::max(most, bytes_of(rank));
  mine_.resize(most);
  all_.resize(most * static_cast<size_t>(transport.size()));
}

size_t RowExchange::bytes_of(int rank) const {
  const auto r = static_cast<size_t>(rank);
  return static_cast<size_t>(cuts_[r + 1] - cuts_[r]) * row_bytes_;
}

void RowExchange::run(std::span<std::byte> rows) {
  expect(rows.size() == static_cast<size_t>(cuts_.back()) * row_bytes_, "all the rows");
  const auto begin = [&](int rank) {
    return rows.begin() + cuts_[static_cast<size_t>(rank)] * static_cast<int64_t>(row_bytes_);
  };
  std::copy_n(begin(transport_.rank()), bytes_of(transport_.rank()), mine_.begin());
  transport_.all_gather(mine_, all_);
  for (int rank = 0; rank < transport_.size(); ++rank) {
    const auto from = all_.begin() + rank * std::ssize(mine_);
    if (rank != transport_.rank()) std::copy_n(from, bytes_of(rank), begin(rank));
  }
}

}  // namespace convoy
