#include "engine/state.h"

#include <algorithm>
#include <cmath>

#include "base/files/file.h"
#include "base/random.h"

namespace convoy {
namespace {

void fill(std::span<float> w, const Init& init, uint64_t key) {
  Random random(key);
  for (float& v : w) {
    switch (init.kind) {
      case Init::Kind::zeros:
        v = 0;
        break;
      case Init::Kind::ones:
        v = 1;
        break;
      case Init::Kind::constant:
        v = init.scale;
        break;
      case Init::Kind::normal:
        v = static_cast<float>(random.normal() * init.scale);
        break;
      case Init::Kind::truncated_normal: {
        double n = random.normal();
        while (std::abs(n) > 2) n = random.normal();
        v = static_cast<float>(n * init.scale);
        break;
      }
      case Init::Kind::uniform:
        v = static_cast<float>((2 * random.uniform() - 1) * init.scale);
        break;
    }
  }
}

}  // namespace

size_t State::bytes(const StateLayout& layout, int slots, bool average, int64_t slot_floats) {
  const auto p = static_cast<size_t>(layout.param_floats);
  const auto s = static_cast<size_t>(layout.stat_floats);
  const size_t each_slot = slot_floats < 0 ? p : static_cast<size_t>(slot_floats);
  const size_t copies = average ? 3 : 2;
  return sizeof(float) * ((p + s) * copies + static_cast<size_t>(slots) * each_slot) +
         Arena::alignment;
}

State::State(const StateLayout& layout, int slots, bool average, std::span<float> grads,
             int64_t slot_floats)
    : layout_(layout) {
  const auto p = static_cast<size_t>(layout.param_floats);
  const auto s = static_cast<size_t>(layout.stat_floats);
  const size_t each_slot = slot_floats < 0 ? p : static_cast<size_t>(slot_floats);
  arena_.reserve(bytes(layout, slots, average, slot_floats) -
                 (grads.empty() ? 0 : p * sizeof(float)));
  float* next = reinterpret_cast<float*>(arena_.data());
  const auto take = [&](size_t floats) {
    const std::span<float> span(next, floats);
    next += floats;
    return span;
  };
  params_ = take(p);
  grads_ = grads.empty() ? take(p) : grads.first(p);
  stats_ = take(s);
  batch_stats_ = take(s);
  for (int i = 0; i < slots; ++i) slots_.push_back(take(each_slot));
  if (average) {
    average_params_ = take(p);
    average_stats_ = take(s);
  }
}

State::State(const Beside& beside) : layout_(beside.other.layout_) {
  const auto p = static_cast<size_t>(layout_.param_floats);
  const auto s = static_cast<size_t>(layout_.stat_floats);
  arena_.reserve((p + s) * sizeof(float) + Arena::alignment);
  auto* first = reinterpret_cast<float*>(arena_.data());
  grads_ = {first, p};
  batch_stats_ = {first + p, s};
  params_ = beside.other.params_;
  stats_ = beside.other.stats_;
}

std::span<float> State::region(const Region& which) const {
  const std::pair<const Region*, std::span<float>> rows[] = {
      {&regions::params, params_},
      {&regions::grads, grads_},
      {&regions::stats, stats_},
      {&regions::batch_stats, batch_stats_},
      {&regions::slots, slots_.empty() ? std::span<float>{} : slots_.front()},
      {&regions::average_params, average_params_},
      {&regions::average_stats, average_stats_},
  };
  for (const auto& [row, memory] : rows) {
    if (row == &which) return memory;
  }
  return {};
}

void State::initialize(uint64_t seed) {
  for (const StateLayout::Slot& slot : layout_.params) {
    fill(params_.subspan(static_cast<size_t>(slot.offset), static_cast<size_t>(slot.count)),
         slot.init, random_key(seed, Purpose::init, hash_bytes(slot.name)));
  }
  for (const StateLayout::Slot& slot : layout_.stats) {
    const auto span =
        stats_.subspan(static_cast<size_t>(slot.offset), static_cast<size_t>(slot.count));
    std::fill(span.begin(), span.end(), slot.start);
  }
  for (const std::span<float> slot : slots_) std::fill(slot.begin(), slot.end(), 0.0f);
  if (has_average()) {
    std::copy(params_.begin(), params_.end(), average_params_.begin());
    std::copy(stats_.begin(), stats_.end(), average_stats_.begin());
  }
}

}  // namespace convoy
