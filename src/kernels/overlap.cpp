#include "kernels/overlap.h"

#undef HWY_TARGET_INCLUDE
#define HWY_TARGET_INCLUDE "kernels/overlap.cpp"
#include <hwy/foreach_target.h>
#include <hwy/highway.h>

HWY_BEFORE_NAMESPACE();
namespace convoy::kernels::HWY_NAMESPACE {
namespace hn = hwy::HWY_NAMESPACE;
using D = hn::CappedTag<float, overlap_group>;
using I = hn::Rebind<int32_t, D>;

// The length that the ranges [low, high) of both have in common.
HWY_INLINE hn::Vec<D> common(hn::Vec<D> low, hn::Vec<D> high, const float* lows,
                             const float* highs) {
  const D d;
  const auto length = hn::Sub(hn::Min(high, hn::LoadU(d, highs)), hn::Max(low, hn::LoadU(d, lows)));
  return hn::Max(length, hn::Zero(d));
}

int64_t overlap_with_all_impl(const BoxPlanes& boxes, const float* object, int32_t number,
                              float* best, int32_t* best_object) {
  const D d;
  const I i32;
  const auto lanes = static_cast<int64_t>(hn::Lanes(d));
  const auto ymin = hn::Set(d, object[0]), xmin = hn::Set(d, object[1]);
  const auto ymax = hn::Set(d, object[2]), xmax = hn::Set(d, object[3]);
  const auto area = hn::Mul(hn::Sub(ymax, ymin), hn::Sub(xmax, xmin));
  auto most = hn::Set(d, -1.0f);
  auto place = hn::Iota(i32, 0), most_place = hn::Zero(i32);
  for (int64_t i = 0; i < boxes.count; i += lanes) {
    const auto inside = hn::Mul(common(ymin, ymax, boxes.ymin + i, boxes.ymax + i),
                                common(xmin, xmax, boxes.xmin + i, boxes.xmax + i));
    const auto both = hn::Sub(hn::Add(hn::LoadU(d, boxes.area + i), area), inside);
    const auto overlap = hn::IfThenElseZero(hn::Gt(inside, hn::Zero(d)), hn::Div(inside, both));
    const auto before = hn::LoadU(d, best + i);
    const auto is_better = hn::Gt(overlap, before);
    hn::StoreU(hn::IfThenElse(is_better, overlap, before), d, best + i);
    hn::StoreU(hn::IfThenElse(hn::RebindMask(i32, is_better), hn::Set(i32, number),
                              hn::LoadU(i32, best_object + i)),
               i32, best_object + i);
    const auto is_most = hn::Gt(overlap, most);
    most = hn::IfThenElse(is_most, overlap, most);
    most_place = hn::IfThenElse(hn::RebindMask(i32, is_most), place, most_place);
    place = hn::Add(place, hn::Set(i32, static_cast<int32_t>(lanes)));
  }
  float values[overlap_group];
  int32_t places[overlap_group];
  hn::StoreU(most, d, values);
  hn::StoreU(most_place, i32, places);
  int64_t first = 0;
  for (int64_t lane = 1; lane < lanes; ++lane) {
    if (values[lane] > values[first] ||
        (values[lane] == values[first] && places[lane] < places[first])) {
      first = lane;
    }
  }
  return places[first];
}

}  // namespace convoy::kernels::HWY_NAMESPACE
HWY_AFTER_NAMESPACE();

#if HWY_ONCE
namespace convoy::kernels {

HWY_EXPORT(overlap_with_all_impl);

int64_t overlap_with_all(const BoxPlanes& boxes, const float* object, int32_t number, float* best,
                         int32_t* best_object) {
  return HWY_DYNAMIC_DISPATCH(overlap_with_all_impl)(boxes, object, number, best, best_object);
}

}  // namespace convoy::kernels
#endif
