#include "train/update/whole_slots.h"

#include <algorithm>

namespace convoy {
namespace {

constexpr int tag = 16383;           // between the tags of gradients and of batch-norm exchanges
constexpr int64_t piece = 16 << 20;  // floats per message

}  // namespace

int64_t WholeSlots::bytes(const StateLayout& layout, int slots, const UpdateShares& shares) {
  if (!shares.is_shared() || shares.rank != 0) return 0;
  return std::max(slots - 1, 0) * layout.param_floats * 4;
}

WholeSlots::WholeSlots(const State& state, const UpdateShares& shares, Transport* transport)
    : state_(state), shares_(shares), transport_(transport) {
  const int64_t needed = bytes(state.layout(), state.slot_count(), shares);
  if (needed > 0) further_.reserve(static_cast<size_t>(needed));
}

// The padding between parameters must be zero in the gradients.
WholeSlots::~WholeSlots() {
  if (shares_.is_shared() && shares_.rank == 0) std::ranges::fill(state_.grads(), 0.0f);
}

std::span<float> WholeSlots::slot(int i) const {
  if (!shares_.is_shared()) return state_.slot(i);
  const auto p = static_cast<size_t>(state_.layout().param_floats);
  if (i == 0) return state_.grads().first(p);
  return {reinterpret_cast<float*>(further_.data()) + static_cast<size_t>(i - 1) * p, p};
}

void WholeSlots::move(bool outward) {
  if (!shares_.is_shared()) return;
  transport_->barrier();  // no rank still reads gradients, or parameters in their memory
  const int rank = transport_->rank();
  const auto pass = [&](int peer, std::span<float> floats, bool sends) {
    for (size_t at = 0; at < floats.size(); at += piece) {
      const auto part = floats.subspan(at, std::min<size_t>(piece, floats.size() - at));
      transport_->wait(sends ? transport_->send(peer, tag, std::as_bytes(part))
                             : transport_->receive(peer, tag, std::as_writable_bytes(part)));
    }
  };
  for (int i = 0; i < state_.slot_count(); ++i) {
    if (rank != 0) {
      pass(0, state_.slot(i), !outward);
      continue;
    }
    for (int peer = 0; peer < transport_->size(); ++peer) {
      const Bucket& share = shares_.all[static_cast<size_t>(peer)];
      const auto theirs =
          slot(i).subspan(static_cast<size_t>(share.begin), static_cast<size_t>(share.count));
      if (peer > 0) {
        pass(peer, theirs, outward);
      } else if (outward) {
        std::ranges::copy(theirs, state_.slot(i).begin());
      } else {
        std::ranges::copy(state_.slot(i), theirs.begin());
      }
    }
  }
}

}  // namespace convoy
