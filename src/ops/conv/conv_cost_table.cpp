// The rates of conv_cost.h, written by bench/fit_convs: measure and fit again instead of editing.

#include "ops/conv/conv_cost.h"

namespace convoy::ops {
namespace {

using enum ConvAlgorithm;
using enum ConvKind;
using enum onednn::ConvPass;

// products, points, far, weights, reads, sums, pixels, call.
// clang-format off
constexpr ConvRates avx2_rates[] = {
    {pointwise, forward,      direct,         15594,        0,        0,   902184,        0,        0,   100416, 65174119},
    {pointwise, grad_input,   direct,         17810,        0,        0,        0,        0,        0,    76613,        0},
    {pointwise, grad_weights, direct,         19465,        0,        0,        0,        0,    25465,   207092,        0},
    {window,    forward,      direct,         14254,        0,        0,  1546652,        0,        0,   290434,        0},
    {window,    forward,      winograd_f2,    14452,        0,   619089,   666659,   202576,        0,  1003978,        0},
    {window,    forward,      winograd_f4,    14757,        0,   948829,   302404,   199569,        0,   633983,  1487101},
    {window,    grad_input,   direct,         14143,        0,        0,  1355625,        0,        0,   124924,        0},
    {window,    grad_input,   winograd_f2,    14062,   233320,   912061,  1238963,   218337,        0,        0,        0},
    {window,    grad_input,   winograd_f4,    15731,        0,  1001273,   484035,   172257,        0,   602913,        0},
    {window,    grad_weights, direct,         16943,        0,        0,  1264173,        0,   237617,        0,        0},
    {window,    grad_weights, winograd_f2,    15296,    33237,   868743,   969502,   416001,   541714,   759949,        0},
    {window,    grad_weights, winograd_f4,    17236,        0,  1051030,   602876,   321999,   493363,   522875,        0},
};
constexpr ConvRates avx512_rates[] = {
    {pointwise, forward,      direct,          7207,        0,        0,   608056,        0,        0,   120092,        0},
    {pointwise, grad_input,   direct,          7454,        0,        0,  1542547,        0,        0,   104661,        0},
    {pointwise, grad_weights, direct,          7143,        0,        0,  2895655,        0,        0,   186983,        0},
    {window,    forward,      direct,          7623,        0,        0,  1383626,        0,        0,   229037,        0},
    {window,    forward,      winograd_f2,     6341,        0,   624530,   511237,   173096,        0,   770458,        0},
    {window,    forward,      winograd_f4,     6411,   189124,  1123669,   231789,   144351,        0,    87128,        0},
    {window,    grad_input,   direct,          7585,        0,        0,  1110462,        0,        0,   224249,        0},
    {window,    grad_input,   winograd_f2,     7716,        0,   421768,   811786,   120951,        0,   668033,        0},
    {window,    grad_input,   winograd_f4,     9282,    59242,   675699,   262140,    92847,        0,   265813, 21302388},
    {window,    grad_weights, direct,          9284,        0,        0,        0,        0,   301770,   146455,        0},
    {window,    grad_weights, winograd_f2,     6725,        0,   687328,   923690,   183387,   245383,   900712,        0},
    {window,    grad_weights, winograd_f4,     7047,    42673,   980904,   324934,   120527,   365466,   458504,        0},
};
constexpr ConvRates avx512_bf16_narrow_rates[] = {
    {pointwise, forward,      direct,          3603,        0,        0,   608056,        0,        0,   120092,        0},
    {pointwise, grad_input,   direct,          3727,        0,        0,  1542547,        0,        0,   104661,        0},
    {pointwise, grad_weights, direct,          3571,        0,        0,  2895655,        0,        0,   186983,        0},
    {window,    forward,      direct,          3811,        0,        0,  1383626,        0,        0,   229037,        0},
    {window,    forward,      winograd_f2,     6341,        0,   624530,   511237,   173096,        0,   770458,        0},
    {window,    forward,      winograd_f4,     6411,   189124,  1123669,   231789,   144351,        0,    87128,        0},
    {window,    grad_input,   direct,          3792,        0,        0,  1110462,        0,        0,   224249,        0},
    {window,    grad_input,   winograd_f2,     7716,        0,   421768,   811786,   120951,        0,   668033,        0},
    {window,    grad_input,   winograd_f4,     9282,    59242,   675699,   262140,    92847,        0,   265813, 21302388},
    {window,    grad_weights, direct,          4642,        0,        0,        0,        0,   301770,   146455,        0},
    {window,    grad_weights, winograd_f2,     6725,        0,   687328,   923690,   183387,   245383,   900712,        0},
    {window,    grad_weights, winograd_f4,     7047,    42673,   980904,   324934,   120527,   365466,   458504,        0},
};
// clang-format on

}  // namespace

std::span<const ConvRates> conv_rates(Isa level, DType stored) {
  if (stored == DType::bf16 && has_bf16_products(level)) return avx512_bf16_narrow_rates;
  // Arithmetic is fp32 on either storage. Lower levels were not measured: avx2 is the nearest.
  return level >= Isa::avx512 ? std::span<const ConvRates>(avx512_rates) : avx2_rates;
}

}  // namespace convoy::ops
