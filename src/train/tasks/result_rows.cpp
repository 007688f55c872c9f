#include "train/tasks/result_rows.h"

#include <algorithm>
#include <cstring>

#include "base/error.h"
#include "train/bad_samples.h"

namespace convoy {
namespace {

std::string_view bytes_of(std::span<const double> numbers) {
  return {reinterpret_cast<const char*>(numbers.data()), numbers.size_bytes()};
}

}  // namespace

ResultRows::ResultRows(int parts, int64_t most, Transport* transport, int64_t numbers)
    : transport_(transport), parts_(static_cast<size_t>(parts)) {
  const auto room = static_cast<size_t>(most * numbers);
  for (Rows& part : parts_) part.reserve(room / parts_.size() + 1);
  if (!transport) return;
  mine_.resize(head + room);
  all_.resize(mine_.size() * static_cast<size_t>(transport->size()));
}

void ResultRows::start() {
  for (Rows& part : parts_) part.clear();
  bad_.clear();
}

void ResultRows::add(const Task& task, const Executor& executor, const Batch& batch, int part) {
  task.read(executor, batch, parts_.at(static_cast<size_t>(part)));
  bad_.insert(bad_.end(), batch.bad.begin(), batch.bad.end());
}

int64_t ResultRows::gather(int64_t word, Results& results) {
  if (transport_) return gather_from_all(word, results);
  for (const Rows& part : parts_) results.add(part);
  return word;
}

int64_t ResultRows::gather_from_all(int64_t word, Results& results) {
  Head mine{.numbers = 0, .bad = std::ssize(bad_), .word = word};
  for (const Rows& part : parts_) mine.numbers += std::ssize(part.flat());
  const size_t room = mine_.size() - head;
  if (static_cast<size_t>(mine.numbers) <= room) {
    double* to = mine_.data() + head;
    for (const Rows& part : parts_) to = std::ranges::copy(part.flat(), to).out;
  }
  std::memcpy(mine_.data(), &mine, sizeof mine);
  transport_->all_gather(std::as_bytes(std::span(mine_)), std::as_writable_bytes(std::span(all_)));

  const auto of_rank = [&](int rank) {
    return std::span(all_).subspan(static_cast<size_t>(rank) * mine_.size(), mine_.size());
  };
  const auto head_of = [&](int rank) {
    Head other;
    std::memcpy(static_cast<void*>(&other), of_rank(rank).data(), sizeof other);
    return other;
  };
  bool all_fit = true, any_bad = false;
  int64_t first_word = 0;
  for (int rank = 0; rank < transport_->size(); ++rank) {
    const Head other = head_of(rank);
    all_fit &= static_cast<size_t>(other.numbers) <= room;
    any_bad |= other.bad > 0;
    if (!first_word) first_word = other.word;
  }
  std::vector<std::string> long_rows;
  if (!all_fit) {
    std::string text;
    for (const Rows& part : parts_) text += bytes_of(part.flat());
    long_rows = transport_->all_gather(text);
  }
  for (int rank = 0; rank < transport_->size(); ++rank) {
    received_.clear();
    if (all_fit) {
      received_.append(of_rank(rank).subspan(head, static_cast<size_t>(head_of(rank).numbers)));
    } else {
      const std::string& text = long_rows[static_cast<size_t>(rank)];
      std::vector<double> numbers(text.size() / sizeof(double));
      std::memcpy(numbers.data(), text.data(), text.size());
      received_.append(numbers);
    }
    results.add(received_);
  }
  if (any_bad) {
    const std::vector<std::string> texts = transport_->all_gather(pack_bad(bad_));
    bad_.clear();
    for (const std::string& text : texts) unpack_bad(text, bad_);
  }
  return first_word;
}

}  // namespace convoy
