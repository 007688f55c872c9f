#include "train/update/kept_weights.h"

#include <algorithm>

#include "base/random.h"
#include "kernels/storage/rounding.h"
#include "train/update/param_groups.h"

namespace convoy {

std::vector<Bucket> KeptWeights::ranges(const StateLayout& layout) const {
  std::vector<Bucket> all;
  if (!rounds()) return all;
  for (const StateLayout::Slot& slot : layout.params) {
    if (param_kind(layout, slot) != ParamKind::norm) all.push_back({slot.offset, slot.count});
  }
  std::ranges::sort(all, {}, &Bucket::begin);
  return all;
}

void KeptWeights::round(uint64_t key, int vector, int64_t place, float* values,
                        int64_t count) const {
  const bool is_f16 = type == DType::f16;
  if (!stochastic) {
    return is_f16 ? kernels::round_to_nearest_f16(values, count)
                  : kernels::round_to_nearest_bf16(values, count);
  }
  const uint64_t own = mix(key + static_cast<uint64_t>(vector));
  return is_f16 ? kernels::round_stochastically_to_f16(own, place, values, count)
                : kernels::round_stochastically_to_bf16(own, place, values, count);
}

void KeptWeights::round_first(const StateLayout& layout, std::span<float> params) const {
  const KeptWeights nearest{.type = type, .stochastic = false};
  for (const Bucket& range : ranges(layout)) {
    nearest.round(0, 0, range.begin, params.data() + range.begin, range.count);
  }
}

}  // namespace convoy
