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
    {pointwise, forward,      direct,          7220,        0,        0,   465824,        0,        0,   126721,        0},
    {pointwise, grad_input,   direct,          6954,        0,        0,   700970,        0,        0,   154847,        0},
    {pointwise, grad_weights, direct,          7107,        0,        0,        0,        0,    45832,   213986,        0},
    {window,    forward,      direct,          7084,        0,        0,   700557,        0,        0,   322533,        0},
    {window,    forward,      winograd_f2,     7861,    27946,        0,   301482,    11197,        0,   298791, 14804321},
    {window,    forward,      winograd_f4,     8182,    34593,        0,   274565,     5840,        0,   223998, 24060736},
    {window,    grad_input,   direct,          6998,        0,        0,   566722,        0,        0,   223872,        0},
    {window,    grad_input,   winograd_f2,     7631,        0,        0,   253113,    25383,        0,   488928,        0},
    {window,    grad_input,   winograd_f4,     8293,        0,        0,   319864,     4741,        0,   372419,        0},
    {window,    grad_weights, direct,          8691,        0,        0,        0,        0,   171328,   174132,        0},
    {window,    grad_weights, winograd_f2,     8575,        0,   487317,   235423,        0,        0,   494455,        0},
    {window,    grad_weights, winograd_f4,     7286,        0,   678737,   201725,        0,        0,   352245, 31323352},
};
constexpr ConvRates avx512_rates[] = {
    {pointwise, forward,      direct,          3332,        0,        0,   844295,        0,        0,    59395,        0},
    {pointwise, grad_input,   direct,          3127,        0,        0,  1133406,        0,        0,    73077,        0},
    {pointwise, grad_weights, direct,          3928,        0,        0,        0,        0,    57398,    42545,        0},
    {window,    forward,      direct,          3630,        0,        0,   773077,        0,        0,    65445,        0},
    {window,    forward,      winograd_f2,     3690,    79703,        0,   328647,    11382,        0,        0,  2153134},
    {window,    forward,      winograd_f4,     3866,    67801,   233411,   257268,     7091,        0,    58931, 26956577},
    {window,    grad_input,   direct,          3485,        0,        0,   496404,        0,        0,    64573,        0},
    {window,    grad_input,   winograd_f2,     3784,    41698,        0,   289866,    16644,        0,   177683,        0},
    {window,    grad_input,   winograd_f4,     3886,    40414,   346808,   267640,     7193,        0,   157307, 29791539},
    {window,    grad_weights, direct,          3961,        0,        0,        0,        0,   165304,    24651, 38410443},
    {window,    grad_weights, winograd_f2,     3464,    36046,   529095,   174468,        0,        0,   215256,        0},
    {window,    grad_weights, winograd_f4,     3209,    64009,   585454,   126092,        0,        0,    96476,        0},
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
