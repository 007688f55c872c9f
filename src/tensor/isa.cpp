#include "tensor/isa.h"

#include <hwy/targets.h>
#include <sys/syscall.h>
#include <unistd.h>
#if defined(__x86_64__)
#include <cpuid.h>
#endif

#include <array>

#include "base/error.h"
#include "tensor/onednn.h"

namespace convoy {
namespace {

// The kernel grants a process the tile registers only if it asks for them.
bool may_use_tiles() {
#if defined(__x86_64__)
  constexpr long request_permission = 0x1023, tile_data = 18;
  return syscall(SYS_arch_prctl, request_permission, tile_data) == 0;
#else
  return false;
#endif
}

bool multiplies_bf16() {
#if defined(__x86_64__)
  return __builtin_cpu_supports("avx512bf16") > 0;
#else
  return false;
#endif
}

bool has_tiles() {
#if defined(__x86_64__)
  unsigned a = 0, b = 0, c = 0, d = 0;
  constexpr unsigned bf16 = 1u << 22, tile = 1u << 24, int8 = 1u << 25, all = bf16 | tile | int8;
  return __get_cpuid_count(7, 0, &a, &b, &c, &d) != 0 && (d & all) == all && may_use_tiles();
#else
  return false;
#endif
}

// Asks Highway and the CPU, not oneDNN: oneDNN can no longer be limited after it was asked.
Isa find_best_level() {
  const int64_t targets = hwy::SupportedTargets();
  if (!(targets & HWY_AVX3)) return targets & HWY_AVX2 ? Isa::avx2 : Isa::sse41;
  if (!multiplies_bf16()) return Isa::avx512;
  return has_tiles() ? Isa::amx : Isa::avx512_bf16;
}

Isa best_level() {
  static const Isa best = find_best_level();
  return best;
}

constexpr std::array all_levels{Isa::sse41, Isa::avx2, Isa::avx512, Isa::avx512_bf16, Isa::amx};

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
  if (wanted >= Isa::avx512) return;  // the same for Highway
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
  constexpr std::string_view names[] = {"sse41", "avx2", "avx512", "avx512_bf16", "amx"};
  return names[static_cast<int>(isa)];
}

Isa isa_by_name(std::string_view text) {
  for (const Isa isa : all_levels) {
    if (name(isa) == text) return isa;
  }
  raise(Fault::usage, "unknown instruction set '{}'; try: sse41, avx2, avx512, avx512_bf16 or amx",
        text);
}

int channel_block(Isa isa) { return isa >= Isa::avx512 ? 16 : 8; }
int channel_block() { return channel_block(level()); }

}  // namespace convoy
