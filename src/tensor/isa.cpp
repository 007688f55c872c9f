#include "tensor/isa.h"

#include <hwy/targets.h>

#include "base/error.h"
#include "tensor/onednn.h"

namespace convoy {
namespace {

// Asks Highway, not oneDNN: oneDNN can no longer be limited after it was asked.
Isa best_level() {
  static const int64_t targets = hwy::SupportedTargets();
  if (targets & HWY_AVX3) return Isa::avx512;
  return targets & HWY_AVX2 ? Isa::avx2 : Isa::sse41;
}

Isa& level() {
  static Isa found = best_level();
  return found;
}

}  // namespace

Isa isa_level() { return level(); }

void limit_isa(Isa wanted) {
  if (wanted > best_level()) {
    raise(Fault::usage, "this machine has no {}; its best level is {}", name(wanted),
          name(best_level()));
  }
  if (wanted == level()) return;
  level() = wanted;
  onednn::settle_isa();
  // In Highway's numbering a better target has a lower bit.
  const int64_t lowest = wanted == Isa::avx2 ? HWY_AVX2 : HWY_SSE4;
  hwy::DisableTargets(lowest - 1);
  // Chosen here, by one thread. If the first kernel call did it, two threads could choose at the
  // same time, and one of them could briefly see the machine's best level.
  hwy::GetChosenTarget().Update(hwy::SupportedTargets());
}

void limit_isa(IsaChoice choice) {
  if (choice != IsaChoice::automatic) limit_isa(isa_by_name(word_of(choice)));
}

std::string_view name(Isa isa) {
  constexpr std::string_view names[] = {"sse41", "avx2", "avx512"};
  return names[static_cast<int>(isa)];
}

Isa isa_by_name(std::string_view text) {
  for (const Isa isa : {Isa::sse41, Isa::avx2, Isa::avx512}) {
    if (name(isa) == text) return isa;
  }
  raise(Fault::usage, "unknown instruction set '{}'; try: sse41, avx2 or avx512", text);
}

int channel_block(Isa isa) { return isa == Isa::avx512 ? 16 : 8; }
int channel_block() { return channel_block(level()); }

}  // namespace convoy
