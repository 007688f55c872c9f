// The rates of conv_cost.h, written by bench/fit_convs; measure and fit rather than edit.

#include "ops/conv_cost.h"

namespace convoy::ops {
namespace {

using enum ConvAlgorithm;
using enum ConvKind;
using enum onednn::ConvPass;

// products, points, far, weights, reads, sums, pixels, call.
// clang-format off
constexpr ConvRates avx2_rates[] = {
    {pointwise, forward,      direct,         16037,        0,        0,  2900017,        0,        0,    35698,        0},
    {pointwise, grad_input,   direct,         17385,        0,        0,  3301549,        0,        0,    26680,        0},
    {pointwise, grad_weights, direct,         18786,        0,        0,        0,        0,   191229,    88236,        0},
    {window,    forward,      direct,         15814,        0,        0,  1532892,        0,        0,   282946,        0},
    {window,    forward,      winograd_f2,    17553,   198299,  1910668,   596836,    95793,        0,        0, 119358836},
    {window,    forward,      winograd_f4,    18447,    53410,  1610118,   289018,   129839,        0,   376938,   376097},
    {window,    grad_input,   direct,         15312,        0,        0,  1391253,        0,        0,   197077,        0},
    {window,    grad_input,   winograd_f2,    19638,    10180,  1888977,   983502,        0,        0,   691702, 20296369},
    {window,    grad_input,   winograd_f4,    22694,        0,  1558611,   409487,    31117,        0,   389215, 14628478},
    {window,    grad_weights, direct,         19418,        0,        0,        0,        0,   377684,    18726,        0},
    {window,    grad_weights, winograd_f2,    21316,   243071,  3186239,   529731,    53348,   249379,        0,        0},
    {window,    grad_weights, winograd_f4,    20768,        0,  2446996,   351275,   173330,   246957,   538042,        0},
};
constexpr ConvRates avx512_rates[] = {
    {pointwise, forward,      direct,          7747,        0,        0,  1603550,        0,        0,   104115,        0},
    {pointwise, grad_input,   direct,          7552,        0,        0,  1986984,        0,        0,   100224,        0},
    {pointwise, grad_weights, direct,          7620,        0,        0,        0,        0,   218776,   181856,        0},
    {window,    forward,      direct,          7001,        0,        0,  1764461,        0,        0,   197046,        0},
    {window,    forward,      winograd_f2,     6868,    38996,  1224406,   769265,   134854,        0,   420723,        0},
    {window,    forward,      winograd_f4,     9242,        0,   957586,   297890,   104993,        0,   319755,        0},
    {window,    grad_input,   direct,          7108,        0,        0,  1218559,        0,        0,   194087,        0},
    {window,    grad_input,   winograd_f2,     7517,        0,  1435250,  1163056,   119716,        0,   517591,        0},
    {window,    grad_input,   winograd_f4,    10094,        0,  1131437,   433182,    78849,        0,   274808,        0},
    {window,    grad_weights, direct,          8824,        0,        0,        0,        0,   273185,    48220,        0},
    {window,    grad_weights, winograd_f2,     9473,        0,  1203826,   848029,   161646,    58475,   729992,        0},
    {window,    grad_weights, winograd_f4,    10915,        0,  1169772,   297848,   123108,   133984,   356413,        0},
};
// clang-format on

}  // namespace

std::span<const ConvRates> conv_rates(Isa level) {
  if (level == Isa::avx512) return avx512_rates;
  return avx2_rates;  // and what is below: measured nowhere, but nearest
}

}  // namespace convoy::ops
