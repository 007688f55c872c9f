#include "train/shared_tally.h"

#include <algorithm>
#include <cstring>

#include "base/error.h"
#include "train/bad_samples.h"

namespace convoy {

SharedTally::SharedTally(Transport* transport, int64_t most)
    : transport_(transport),
      mine_(head + static_cast<size_t>(most)),
      all_(mine_.size() * static_cast<size_t>(transport ? transport->size() : 1)) {}

void SharedTally::start() {
  now_ = {};
  std::ranges::fill(mine_, 0.0);
  bad_.clear();
}

void SharedTally::add(const Task& task, const Executor& executor, const Batch& batch,
                      int64_t first) {
  expect(head + static_cast<size_t>(first + batch.valid) <= mine_.size(), "room for the samples");
  double* losses = mine_.data() + head + static_cast<size_t>(first);
  for (int64_t i = 0; i < batch.valid; ++i) {
    Tally one;
    task.count(executor, batch, i, i + 1, one);
    losses[i] = one.loss;
    now_.samples += one.samples;
    now_.correct += one.correct;
    now_.correct5 += one.correct5;
  }
  now_.bad += std::ssize(batch.bad);
  bad_.insert(bad_.end(), batch.bad.begin(), batch.bad.end());
}

int64_t SharedTally::gather(int64_t word, Tally& tally) {
  now_.word = word;
  std::memcpy(mine_.data(), &now_, sizeof now_);
  if (transport_) {
    transport_->all_gather(std::as_bytes(std::span(mine_)),
                           std::as_writable_bytes(std::span(all_)));
  } else {
    all_ = mine_;
  }
  int64_t bad = 0, first_word = 0;
  for (int rank = 0; rank < (transport_ ? transport_->size() : 1); ++rank) {
    const auto record =
        std::span(all_).subspan(static_cast<size_t>(rank) * mine_.size(), mine_.size());
    Counts counts;
    std::memcpy(static_cast<void*>(&counts), record.data(), sizeof counts);
    for (const double loss : record.subspan(head)) tally.loss += loss;
    tally.samples += counts.samples;
    tally.correct += counts.correct;
    tally.correct5 += counts.correct5;
    bad += counts.bad;
    if (!first_word) first_word = counts.word;
  }
  if (bad > 0 && transport_) {
    const std::vector<std::string> texts = transport_->all_gather(pack_bad(bad_));
    bad_.clear();
    for (const std::string& text : texts) unpack_bad(text, bad_);
  }
  return first_word;
}

}  // namespace convoy
