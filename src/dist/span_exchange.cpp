#include "dist/span_exchange.h"

#include <algorithm>

#include "base/error.h"

namespace convoy {
namespace {

constexpr int first_tag = 16384;  // tags below are for gradients

}  // namespace

SpanExchange::SpanExchange(Transport* transport, const ReplicaSplit& split, int span,
                           std::vector<int64_t> floats)
    : transport_(transport), split_(split), span_(span), floats_(std::move(floats)) {
  expect(split.replicas() % span == 0, "groups of one size");
  expect(floats_.size() < 16384, "exchanges that tags can tell apart");
  int64_t total = 0;
  for (const int64_t each : floats_) {
    before_.push_back(total);
    total += each;
  }
  mine_ = split.range(transport ? transport->rank() : 0);
  if (!transport || transport->size() == 1) return;
  window_.emplace(*transport, total * split.most(), static_cast<int>(floats_.size()));
  const int first = mine_.first / span * span;
  const int last = (mine_.first + mine_.count + span - 1) / span * span;
  for (int rank = 0; rank < transport->size(); ++rank) {
    const ReplicaRange range = split.range(rank);
    if (rank == transport->rank() || range.first + range.count <= first || range.first >= last) {
      continue;
    }
    Peer peer{.rank = rank, .place = {}, .inbox = {}, .in = {}, .out = {}, .sends = {}};
    if (std::ranges::find(window_->ranks(), rank) != window_->ranks().end()) {
      peer.place = window_->place_of(rank);
    } else {
      peer.inbox.resize(static_cast<size_t>(total * range.count));
      peer.in.resize(floats_.size());
      peer.out.resize(floats_.size());
      peer.sends.resize(floats_.size());
    }
    peers_.push_back(std::move(peer));
  }
}

int64_t SpanExchange::offset(int exchange, int rank) const {
  return before_[static_cast<size_t>(exchange)] * split_.range(rank).count;
}

int64_t SpanExchange::length(int exchange, int rank) const {
  return floats_[static_cast<size_t>(exchange)] * split_.range(rank).count;
}

void SpanExchange::publish(int exchange, std::span<const float* const> mine) {
  if (peers_.empty()) return;
  const auto id = static_cast<size_t>(exchange);
  for (Peer& peer : peers_) {  // an earlier send still reads the memory that is written below
    if (peer.place || !peer.sends[id]) continue;
    transport_->wait(peer.out[id]);
    peer.sends[id] = 0;
  }
  const int rank = transport_->rank();
  const std::span<float> row = window_->mine().subspan(static_cast<size_t>(offset(exchange, rank)),
                                                       static_cast<size_t>(length(exchange, rank)));
  for (size_t i = 0; i < mine.size(); ++i) {
    std::copy_n(mine[i], floats_[id], row.data() + static_cast<int64_t>(i) * floats_[id]);
  }
  window_->raise_flag(exchange, run_);
  for (Peer& peer : peers_) {
    if (peer.place) continue;
    const std::span<float> inbox(peer.inbox.data() + offset(exchange, peer.rank),
                                 static_cast<size_t>(length(exchange, peer.rank)));
    peer.in[id] =
        transport_->receive(peer.rank, first_tag + exchange, std::as_writable_bytes(inbox));
    peer.out[id] = transport_->send(peer.rank, first_tag + exchange, std::as_bytes(row));
    peer.sends[id] = 1;
    sent_bytes_ += static_cast<int64_t>(row.size_bytes());
  }
}

void SpanExchange::collect(int exchange, std::span<const float* const> mine,
                           std::span<float* const> all, const std::function<void()>& meanwhile) {
  const auto id = static_cast<size_t>(exchange);
  const int64_t each = floats_[id];
  // Copies the vector of replica `from` to all replicas of this process in the same group.
  const auto hand_out = [&](int from, const float* data) {
    for (size_t i = 0; i < all.size(); ++i) {
      const int replica = mine_.first + static_cast<int>(i);
      if (replica / span_ == from / span_) std::copy_n(data, each, all[i] + from % span_ * each);
    }
  };
  for (size_t i = 0; i < mine.size(); ++i) hand_out(mine_.first + static_cast<int>(i), mine[i]);
  for (Peer& peer : peers_) {
    wait_until([&] {
      meanwhile();
      return peer.place ? window_->is_raised(*peer.place, exchange, run_)
                        : transport_->is_done(peer.in[id]);
    });
    const float* data = (peer.place ? window_->row(*peer.place).data() : peer.inbox.data()) +
                        offset(exchange, peer.rank);
    const ReplicaRange range = split_.range(peer.rank);
    for (int r = 0; r < range.count; ++r) hand_out(range.first + r, data + r * each);
  }
}

}  // namespace convoy
