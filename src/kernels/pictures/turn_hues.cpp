#include "kernels/pictures/turn_hues.h"

#include <algorithm>

#undef HWY_TARGET_INCLUDE
#define HWY_TARGET_INCLUDE "kernels/pictures/turn_hues.cpp"
#include <hwy/foreach_target.h>
#include <hwy/highway.h>

HWY_BEFORE_NAMESPACE();
namespace convoy::kernels::HWY_NAMESPACE {
namespace hn = hwy::HWY_NAMESPACE;

using D = hn::CappedTag<double, 8>;
using F = hn::Rebind<float, D>;
using I = hn::Rebind<int32_t, D>;
using U8 = hn::Rebind<uint8_t, D>;

HWY_INLINE hn::Vec<D> wide(hn::Vec<F> x) { return hn::PromoteTo(D(), x); }
HWY_INLINE hn::Vec<D> wide(hn::Vec<I> x) { return hn::PromoteTo(D(), x); }
HWY_INLINE hn::Vec<F> narrow(hn::Vec<D> x) { return hn::DemoteTo(F(), x); }
HWY_INLINE hn::Vec<I> cut_off(hn::Vec<D> x) { return hn::DemoteTo(I(), x); }
HWY_INLINE hn::Vec<D> number(double x) { return hn::Set(D(), x); }

// A fraction of 1 as a byte, 0..255.
HWY_INLINE hn::Vec<I> byte_of(hn::Vec<F> share) {
  const I i;
  const auto whole = cut_off(hn::Mul(wide(share), number(255.0)));
  return hn::Min(hn::Max(whole, hn::Zero(i)), hn::Set(i, 255));
}

// value * x rounded to a byte, halves up.
HWY_INLINE hn::Vec<I> share_of(hn::Vec<D> value, hn::Vec<D> x) {
  const auto product = hn::Mul(value, x);
  const auto low = hn::Floor(product);
  const auto up = hn::IfThenElseZero(hn::Ge(hn::Sub(product, low), number(0.5)), number(1));
  const auto near = hn::Add(low, up);
  return cut_off(hn::Min(hn::Max(near, hn::Zero(D())), number(255.0)));
}

// As many colours as there are lanes.
HWY_INLINE void turn_vector(int shift, uint8_t* red, uint8_t* green, uint8_t* blue) {
  const F f;
  const I i;
  const U8 u8;
  const auto load = [&](const uint8_t* from) { return hn::PromoteTo(i, hn::LoadU(u8, from)); };
  const auto r = load(red), g = load(green), b = load(blue);
  const auto most = hn::Max(hn::Max(r, g), b), least = hn::Min(hn::Min(r, g), b);
  const auto is_grey = hn::Eq(most, least);
  // The result is not used for grey; this only avoids a division by zero.
  const auto range = hn::ConvertTo(f, hn::Max(hn::Sub(most, least), hn::Set(i, 1)));
  const auto part = [&](hn::Vec<I> x) {
    return hn::Div(hn::ConvertTo(f, hn::Sub(most, x)), range);
  };
  const auto r_part = part(r), g_part = part(g), b_part = part(b);
  const auto from = [&](double begin, hn::Vec<F> plus, hn::Vec<F> minus) {
    return narrow(hn::Sub(hn::Add(number(begin), wide(plus)), wide(minus)));
  };
  const auto of_green_or_blue = hn::IfThenElse(hn::RebindMask(f, hn::Eq(g, most)),
                                               from(2, r_part, b_part), from(4, g_part, r_part));
  const auto sixth =
      hn::IfThenElse(hn::RebindMask(f, hn::Eq(r, most)), hn::Sub(b_part, g_part), of_green_or_blue);
  const auto turned = hn::Add(hn::Div(wide(sixth), number(6)), number(1));
  const auto once = hn::IfThenElse(hn::Ge(turned, number(1)), hn::Sub(turned, number(1)), turned);
  const auto hue = hn::And(hn::Add(byte_of(narrow(once)), hn::Set(i, shift)), hn::Set(i, 255));
  const auto value = hn::ConvertTo(f, hn::Max(most, hn::Set(i, 1)));
  const auto saturation = byte_of(hn::Div(range, value));

  const auto sixths = hn::Div(hn::Mul(wide(hue), number(6)), number(255));
  const auto sector = cut_off(sixths);
  const auto rest = wide(narrow(hn::Sub(sixths, wide(sector))));
  const auto s = wide(narrow(hn::Div(wide(saturation), number(255))));
  const auto one = number(1), v = wide(most);
  const auto p = share_of(v, hn::Sub(one, s));
  const auto q = share_of(v, hn::Sub(one, hn::Mul(s, rest)));
  const auto t = share_of(v, hn::Sub(one, hn::Mul(s, hn::Sub(one, rest))));
  const auto stays = hn::Or(is_grey, hn::Eq(saturation, hn::Zero(i)));
  const auto in = [&](int number_of) { return hn::Eq(sector, hn::Set(i, number_of)); };
  // Selects by sector of the hue circle.
  const auto choose = [&](auto x0, auto x1, auto x2, auto x3, auto x4, auto x5, uint8_t* to) {
    auto chosen = hn::IfThenElse(in(1), x1, x0);
    chosen = hn::IfThenElse(in(2), x2, chosen);
    chosen = hn::IfThenElse(in(3), x3, chosen);
    chosen = hn::IfThenElse(in(4), x4, chosen);
    chosen = hn::IfThenElse(in(5), x5, chosen);
    hn::StoreU(hn::DemoteTo(u8, hn::IfThenElse(stays, most, chosen)), u8, to);
  };
  choose(most, q, p, p, t, most, red);
  choose(t, most, most, q, p, p, green);
  choose(p, p, t, most, most, q, blue);
}

void turn_hues_impl(int shift, int64_t n, uint8_t* red, uint8_t* green, uint8_t* blue) {
  constexpr int64_t most_lanes = 8;
  const auto lanes = static_cast<int64_t>(hn::Lanes(D()));
  int64_t i = 0;
  for (; i + lanes <= n; i += lanes) turn_vector(shift, red + i, green + i, blue + i);
  if (i == n) return;
  uint8_t rest[3][most_lanes] = {};
  std::copy_n(red + i, n - i, rest[0]);
  std::copy_n(green + i, n - i, rest[1]);
  std::copy_n(blue + i, n - i, rest[2]);
  turn_vector(shift, rest[0], rest[1], rest[2]);
  std::copy_n(rest[0], n - i, red + i);
  std::copy_n(rest[1], n - i, green + i);
  std::copy_n(rest[2], n - i, blue + i);
}

}  // namespace convoy::kernels::HWY_NAMESPACE
HWY_AFTER_NAMESPACE();

#if HWY_ONCE
namespace convoy::kernels {

HWY_EXPORT(turn_hues_impl);

void turn_hues(int shift, int64_t n, uint8_t* red, uint8_t* green, uint8_t* blue) {
  HWY_DYNAMIC_DISPATCH(turn_hues_impl)(shift, n, red, green, blue);
}

}  // namespace convoy::kernels
#endif
