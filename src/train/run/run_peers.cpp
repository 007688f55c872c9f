#include "train/run/run_peers.h"

#include <limits>

#include "base/error.h"
#include "base/text/text.h"
#include "config/value.h"
#include "train/checkpoint/tensors.h"
#include "train/run/peer_terms.h"
#include "train/run/run_files.h"

namespace convoy {
namespace {

// In pieces: a message has a maximum size.
void broadcast_floats(Transport& transport, std::span<float> floats) {
  constexpr size_t piece = 1 << 24;
  for (size_t at = 0; at < floats.size(); at += piece) {
    const auto part = floats.subspan(at, std::min(piece, floats.size() - at));
    transport.broadcast(0, std::as_writable_bytes(part));
  }
}

}  // namespace

void compare_with_peers(const RunSite& site) {
  if (!site.transport) return;
  std::map<std::string, std::string> terms;
  for (const auto& [key, value] : site.config.resolved()) terms["--" + key] = value;
  terms["algorithms"] = algorithms_of(site.setup);
  terms["classes of the data"] = join(site.setup.train_set->class_names(), ", ");
  if (const auto found = peer_difference(*site.transport, terms)) {
    const auto shown = [](const std::optional<std::string>& value) {
      return value ? one_line(*value) : "nothing";
    };
    raise(Fault::usage, "{}: {} {}, rank 0 has {}; try: the same options and files on every host",
          found->who, found->key, shown(found->value), shown(found->of_first));
  }
  expect_same_data(*site.transport, *site.setup.train_set, "train");
  expect_same_data(*site.transport, *site.setup.eval_set, "val");
}

void share_start(const RunSite& site, RunState& state, WholeSlots& slots) {
  if (!site.transport) return;
  Transport& transport = *site.transport;
  static_assert(std::is_trivially_copyable_v<RunProgress>);
  transport.broadcast(0, std::as_writable_bytes(std::span(&state.progress, 1)));
  StateFile epoch;
  save_epoch(*state.epoch, epoch.state);
  const std::string text = transport.broadcast(0, to_json(epoch));
  restore_epoch(state_file_from_json(text, "rank 0").state, std::numeric_limits<int64_t>::max(),
                "rank 0", *state.epoch);
  state.saved_step = state.progress.step > 0 ? state.progress.step : -1;
  const State& tensors = site.network.state();
  for (const std::span<float> region :
       {tensors.params(), tensors.stats(), tensors.average_params(), tensors.average_stats()}) {
    broadcast_floats(transport, region);
  }
  if (site.setup.plans.shares().is_shared()) {
    slots.scatter();
  } else {
    for (int i = 0; i < tensors.slot_count(); ++i) broadcast_floats(transport, tensors.slot(i));
  }
}

int agree_on_signal(const RunSite& site, const std::atomic<int>& signal) {
  if (!site.transport) return signal;
  const int mine = signal;
  std::vector<int> all(static_cast<size_t>(site.transport->size()));
  site.transport->all_gather(std::as_bytes(std::span(&mine, 1)),
                             std::as_writable_bytes(std::span(all)));
  for (const int one : all) {
    if (one) return one;
  }
  return 0;
}

std::string agreed_hash(const RunSite& site) {
  const State& state = site.network.state();
  const std::string mine =
      weights_hash(model_tensors(state.layout(), state.params(), state.stats()));
  if (!site.transport) return mine;
  const std::vector<std::string> all = site.transport->all_gather(mine);
  for (size_t rank = 0; rank < all.size(); ++rank) {
    if (all[rank] != all[0]) {
      raise(Fault::bug, "internal error: rank {} has other weights than rank 0: {} and {}", rank,
            all[rank], all[0]);
    }
  }
  return mine;
}

void warn_of_uneven_split(const RunSite& site) {
  if (!site.transport) return;
  const ReplicaSplit& split = site.network.peers()->split();
  const int even = split.most() * split.processes();
  if (even == split.replicas()) return;
  site.listener.on(Warning{
      fmt::format("{} replicas on {} processes are {}: all wait for the one with {}; try: "
                  "--replicas {} for the "
                  "same time",
                  split.replicas(), split.processes(), split.counts(), split.most(), even)});
}

void tell_exchange(const RunSite& site) {
  if (!site.transport) return;
  const ExchangeTraffic& traffic = site.network.peers()->gradients().traffic();
  const auto steps = std::max<int64_t>(traffic.steps, 1);
  site.listener.on(
      Exchanged{.processes = site.processes(),
                .steps = traffic.steps,
                .gradient_bytes = traffic.all_bytes / steps,
                .bytes = traffic.read_bytes + traffic.sent_bytes,
                .sent_bytes = traffic.sent_bytes,
                .early_share = static_cast<double>(traffic.early_bytes) /
                               static_cast<double>(std::max<int64_t>(traffic.all_bytes, 1)),
                .wait_s = traffic.wait_seconds});
}

}  // namespace convoy
