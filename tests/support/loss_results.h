// Results of tasks in tests that have a loss and nothing else.
#pragma once

#include <memory>

#include "train/tasks/results.h"

namespace convoy::test {

class LossResults final : public Results {
 public:
  std::vector<Metric> metrics() const override { return {main()}; }
  Metric main() const override { return {&loss_metric, mean_loss()}; }

 private:
  void add_rest(std::span<const double>) override {}
  void merge_rest(const Results&) override {}
  void clear_rest() override {}
  void save_rest(SavedResults&) const override {}
  std::string restore_rest(const SavedResults&) override { return ""; }
};

inline std::unique_ptr<Results> loss_results() { return std::make_unique<LossResults>(); }

}  // namespace convoy::test
