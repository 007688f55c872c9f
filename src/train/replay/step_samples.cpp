#include "train/replay/step_samples.h"

#include <optional>

#include "data/loading/order.h"

namespace convoy {

std::vector<int64_t> samples_of_step(const RunSetup& setup, int64_t step) {
  const EpochPlan& plan = setup.epochs;
  const bool shuffle = setup.loader(0, 0).shuffle;
  std::vector<int64_t> samples;
  std::optional<Order> order;
  int64_t epoch = -1;
  for (int64_t i = 0; i < plan.count(step); ++i) {
    const Position position = plan.at(step, i);
    if (position.epoch != epoch) {
      epoch = position.epoch;
      order.emplace(plan.dataset_samples(), setup.config.seed, epoch, shuffle,
                    setup.train_set->run_length());
    }
    samples.push_back((*order)[position.index]);
  }
  return samples;
}

std::string step_sample_name(const RunSetup& setup, int64_t step, int64_t place) {
  const std::vector<int64_t> samples = samples_of_step(setup, step);
  if (place < 0 || place >= std::ssize(samples)) return fmt::format("place {} of the step", place);
  const int64_t index = samples[static_cast<size_t>(place)];
  return fmt::format("{} (sample {})", setup.train_set->origin(index), index);
}

}  // namespace convoy
