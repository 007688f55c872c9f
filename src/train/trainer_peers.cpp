// What the trainer agrees upon with the other processes of its run.

#include <cstring>

#include "base/error.h"
#include "base/text.h"
#include "config/value.h"
#include "train/peer_terms.h"
#include "train/trainer.h"

namespace convoy {
namespace {

// Messages have a limit, regions have not.
void broadcast_floats(Transport& transport, std::span<float> floats) {
  constexpr size_t piece = 1 << 24;
  for (size_t at = 0; at < floats.size(); at += piece) {
    const auto part = floats.subspan(at, std::min(piece, floats.size() - at));
    transport.broadcast(0, std::as_writable_bytes(part));
  }
}

}  // namespace

void Trainer::compare_with_peers() {
  std::map<std::string, std::string> terms;
  for (const auto& [key, value] : config_.resolved()) terms["--" + key] = value;
  terms["algorithms"] = algorithms();
  terms["classes of the data"] = join(setup_.train_set->class_names(), ", ");
  if (const auto found = peer_difference(*transport_, terms)) {
    const auto shown = [](const std::optional<std::string>& value) {
      return value ? one_line(*value) : "nothing";
    };
    raise(Fault::usage, "{}: {} {}, rank 0 has {}; try: the same options and files on every host",
          found->who, found->key, shown(found->value), shown(found->of_first));
  }
  expect_same_data(*transport_, *setup_.train_set, "train");
  expect_same_data(*transport_, *setup_.eval_set, "val");
}

void Trainer::share_start() {
  static_assert(std::is_trivially_copyable_v<RunProgress>);
  transport_->broadcast(0, std::as_writable_bytes(std::span(&progress_, 1)));
  saved_step_ = progress_.step > 0 ? progress_.step : -1;
  const State& state = network_.state();
  for (const std::span<float> region :
       {state.params(), state.stats(), state.average_params(), state.average_stats()}) {
    broadcast_floats(*transport_, region);
  }
  if (setup_.plans.shares().is_shared()) {
    start_slots_->scatter();
  } else {
    for (int i = 0; i < state.slot_count(); ++i) broadcast_floats(*transport_, state.slot(i));
  }
}

void Trainer::warn_of_uneven_split() {
  const ReplicaSplit& split = network_.peers()->split();
  const int even = split.most() * split.instances();
  if (even == split.replicas()) return;
  listener_.on(Warning{
      fmt::format("{} replicas on {} processes are {}: all wait for the one with {}; try: "
                  "--replicas {} for the "
                  "same time",
                  split.replicas(), split.instances(), split.counts(), split.most(), even)});
}

int Trainer::asked_to_stop() { return transport_ ? network_.peers()->stop() : stop_.load(); }

int Trainer::agree_on_signal() {
  if (!transport_) return stop_;
  const int mine = stop_;
  std::vector<int> all(static_cast<size_t>(transport_->size()));
  transport_->all_gather(std::as_bytes(std::span(&mine, 1)),
                         std::as_writable_bytes(std::span(all)));
  for (const int signal : all) {
    if (signal) return signal;
  }
  return 0;
}

void Trainer::tell_exchange() {
  if (!transport_) return;
  const ExchangeTraffic& traffic = network_.peers()->gradients().traffic();
  const auto steps = std::max<int64_t>(traffic.steps, 1);
  listener_.on(
      Exchanged{.processes = transport_->size(),
                .steps = traffic.steps,
                .gradient_bytes = traffic.all_bytes / steps,
                .bytes = traffic.read_bytes + traffic.sent_bytes,
                .sent_bytes = traffic.sent_bytes,
                .early_share = static_cast<double>(traffic.early_bytes) /
                               static_cast<double>(std::max<int64_t>(traffic.all_bytes, 1)),
                .wait_s = traffic.wait_seconds});
}

}  // namespace convoy
