// The instruction set level. It determines the channel block and every summation order: results are
// bit-identical on one level and may differ in the last bits between levels. avx512_bf16 and amx
// add instructions for products of bf16: whatever is computed in fp32 has the same bits as on
// avx512.
#pragma once

#include <string_view>

#include "base/text/words.h"

namespace convoy {

enum class Isa { sse41, avx2, avx512, avx512_bf16, amx };

// The best level of this machine, or the limit set below.
Isa isa_level();

// Lowers the level, for oneDNN and our own kernels alike. Needs to be called before any
// computation; a level above the machine's is a usage error.
void limit_isa(Isa level);

// The values of the option: the best level of the machine, or a named level.
enum class IsaChoice { automatic, sse41, avx2, avx512, avx512_bf16, amx };
constexpr auto words_of(IsaChoice) {
  return words<IsaChoice>("auto", "sse41", "avx2", "avx512", "avx512_bf16", "amx");
}
void limit_isa(IsaChoice choice);

// Whether the level multiplies bf16 itself. On others fp32 arithmetic is faster than oneDNN's
// emulation.
constexpr bool has_bf16_products(Isa level) { return level >= Isa::avx512_bf16; }

// The lowest level with the same results in fp32.
constexpr Isa fp32_level(Isa level) { return level < Isa::avx512 ? level : Isa::avx512; }

std::string_view name(Isa level);
Isa isa_by_name(std::string_view name);  // usage error when unknown

// Channels in a block of the blocked layout: one full vector of floats, at least 8.
int channel_block(Isa level);
int channel_block();  // of isa_level()

}  // namespace convoy
