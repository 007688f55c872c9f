#include "kernels/pictures/look_up.h"

#undef HWY_TARGET_INCLUDE
#define HWY_TARGET_INCLUDE "kernels/pictures/look_up.cpp"
#include <hwy/foreach_target.h>
#include <hwy/highway.h>

HWY_BEFORE_NAMESPACE();
namespace convoy::kernels::HWY_NAMESPACE {
namespace hn = hwy::HWY_NAMESPACE;
using D = hn::CappedTag<float, 16>;

HWY_INLINE hn::Vec<hn::Rebind<int32_t, D>> indices(const uint8_t* bytes) {
  return hn::PromoteTo(hn::Rebind<int32_t, D>(), hn::LoadU(hn::Rebind<uint8_t, D>(), bytes));
}

void look_up_impl(const uint8_t* bytes, int64_t n, const float* table, float* out) {
  const D d;
  const auto lanes = static_cast<int64_t>(hn::Lanes(d));
  int64_t i = 0;
  for (; i + lanes <= n; i += lanes) {
    hn::StoreU(hn::GatherIndex(d, table, indices(bytes + i)), d, out + i);
  }
  for (; i < n; ++i) out[i] = table[bytes[i]];
}

void look_up_backwards_impl(const uint8_t* last, int64_t n, const float* table, float* out) {
  const D d;
  const auto lanes = static_cast<int64_t>(hn::Lanes(d));
  int64_t i = 0;
  for (; i + lanes <= n; i += lanes) {
    const auto values = hn::GatherIndex(d, table, indices(last - i - lanes + 1));
    hn::StoreU(hn::Reverse(d, values), d, out + i);
  }
  for (; i < n; ++i) out[i] = table[last[-i]];
}

}  // namespace convoy::kernels::HWY_NAMESPACE
HWY_AFTER_NAMESPACE();

#if HWY_ONCE
namespace convoy::kernels {

HWY_EXPORT(look_up_impl);
HWY_EXPORT(look_up_backwards_impl);

void look_up(const uint8_t* bytes, int64_t n, const float* table, float* out) {
  HWY_DYNAMIC_DISPATCH(look_up_impl)(bytes, n, table, out);
}

void look_up_backwards(const uint8_t* last, int64_t n, const float* table, float* out) {
  HWY_DYNAMIC_DISPATCH(look_up_backwards_impl)(last, n, table, out);
}

}  // namespace convoy::kernels
#endif
