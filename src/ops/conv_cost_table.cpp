// The rates of conv_cost.h, written by bench/fit_convs; measure and fit rather than edit.

#include "ops/conv_cost.h"

namespace convoy::ops {
namespace {

using enum ConvAlgorithm;
using enum ConvKind;
using enum onednn::ConvPass;

// products, points, far, weights, sums, pixels, call.
// clang-format off
constexpr ConvRates avx2_rates[] = {
    {pointwise, forward,      direct,         16828,        0,        0,  2990002,        0,    15846,        0},
    {pointwise, grad_input,   direct,         18583,        0,        0,  3109144,        0,     1644,        0},
    {pointwise, grad_weights, direct,         20046,        0,        0,        0,   232646,    64385,        0},
    {window,    forward,      direct,         15565,        0,        0,  1542363,        0,   187064, 160249742},
    {window,    forward,      winograd_f2,    20380,   134098,  1226649,   636617,        0,        0, 201713411},
    {window,    forward,      winograd_f4,    21977,   161479,  1313987,   246296,        0,        0, 92329534},
    {window,    grad_input,   direct,         15750,        0,        0,  1474318,        0,   114950, 27668130},
    {window,    grad_input,   winograd_f2,    19810,   135158,  1646499,  1238129,        0,        0, 187620557},
    {window,    grad_input,   winograd_f4,    22403,   125933,  1602238,   394509,        0,    65923, 68596622},
    {window,    grad_weights, direct,         18837,        0,        0,        0,   399134,    28625,  1473527},
    {window,    grad_weights, winograd_f2,    22385,   212229,  2742773,   572643,   340353,        0,        0},
    {window,    grad_weights, winograd_f4,    22559,        0,  2062307,   420612,   370828,   499094,        0},
};
constexpr ConvRates avx512_rates[] = {
    {pointwise, forward,      direct,          7570,        0,        0,  1944708,        0,   105692,        0},
    {pointwise, grad_input,   direct,          6480,        0,        0,  2412371,        0,   153556,        0},
    {pointwise, grad_weights, direct,          6253,        0,        0,        0,   284745,   240164,        0},
    {window,    forward,      direct,          6812,        0,        0,  1731450,        0,   178336,        0},
    {window,    forward,      winograd_f2,     9477,   107659,   809699,   795194,        0,        0,        0},
    {window,    forward,      winograd_f4,    12037,        0,   502589,   292278,        0,   255022,        0},
    {window,    grad_input,   direct,          6894,        0,        0,  1133761,        0,   209166,        0},
    {window,    grad_input,   winograd_f2,     9450,        0,  1074515,  1137985,        0,   394960,        0},
    {window,    grad_input,   winograd_f4,    11621,        0,   733175,   491859,        0,   240511,        0},
    {window,    grad_weights, direct,          8340,        0,        0,        0,   281384,   100589,        0},
    {window,    grad_weights, winograd_f2,    11574,        0,   892708,   853621,    68045,   610436,        0},
    {window,    grad_weights, winograd_f4,    14156,        0,   574449,   286460,   150450,   288243,        0},
};
// clang-format on

}  // namespace

std::span<const ConvRates> conv_rates(Isa level) {
  if (level == Isa::avx512) return avx512_rates;
  return avx2_rates;  // and what is below: measured nowhere, but nearest
}

}  // namespace convoy::ops
