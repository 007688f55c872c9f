#include "train/run/run_progress.h"

#include <cmath>
#include <optional>
#include <variant>
#include <vector>

#include "base/error.h"

namespace convoy {
namespace {

using Place = std::variant<double*, int64_t*, bool*>;

struct Row {
  const char* key;
  Place place;
  double low, high;
  std::optional<double> missing = {};  // the value if an older checkpoint lacks it
};

constexpr double largest_float = 3.5e38;
constexpr double centuries = 1e11;  // in seconds

std::vector<Row> table(RunProgress& p, const ProgressBounds& bounds) {
  const auto step = static_cast<double>(p.step), total = static_cast<double>(bounds.total_steps);
  const double samples = step * static_cast<double>(bounds.global_batch);
  return {{"epoch_bad", &p.epoch_bad, 0, samples, 0},
          {"best_score", &p.best_score, no_score, largest_float},
          {"main_metric", &p.main_metric, no_score, largest_float, no_score},
          {"average_metric", &p.average_metric, no_score, largest_float, no_score},
          {"stale", &p.stale, 0, step, 0},
          {"last_step", &p.last_step, std::max(step, 1.0), total, total},
          {"scheduled", &p.scheduled, 0, total, step},
          {"lr", &p.lr, 0, largest_float, bounds.lr},
          {"ema_updates", &p.ema_updates, 0, step},
          {"averaged", &p.averaged, 0, step, static_cast<double>(p.ema_updates)},
          {"loss_scale", &p.scaling.loss_scale, 1e-30, largest_float, bounds.loss_scale},
          {"scaled_steps", &p.scaling.scaled_steps, 0, step, 0},
          {"skipped", &p.scaling.skipped, 0, step, 0},
          {"skipped_in_row", &p.scaling.skipped_in_row, 0, step, 0},
          {"seconds", &p.seconds, 0, centuries},
          {"boundary_pending", &p.boundary_pending, 0, 1}};
}

double value_at(const Place& place) {
  return std::visit([](const auto* number) { return static_cast<double>(*number); }, place);
}

void set(const Place& place, double value) {
  std::visit([&](auto* number) { *number = static_cast<std::decay_t<decltype(*number)>>(value); },
             place);
}

double checked(const Row& row, const TrainState& state, const std::string& origin) {
  const auto found = state.numbers.find(row.key);
  if (found == state.numbers.end()) {
    if (row.missing) return *row.missing;
    raise(Fault::checkpoint, "{} says nothing about {}; try: an older checkpoint of the run",
          origin, row.key);
  }
  const double value = found->second;
  const bool is_whole = std::holds_alternative<double*>(row.place) || std::floor(value) == value;
  if (value >= row.low && value <= row.high && is_whole) return value;  // false for NaN
  raise(Fault::checkpoint,
        "{}: {} is {}, which is not {}between {} and {}: the file was changed; try: an older "
        "checkpoint of the run",
        origin, row.key, value, is_whole ? "" : "a whole number ", row.low, row.high);
}

}  // namespace

std::map<std::string, double> numbers_of(const RunProgress& progress) {
  RunProgress copy = progress;
  std::map<std::string, double> numbers;
  for (const Row& row : table(copy, {})) numbers[row.key] = value_at(row.place);
  return numbers;
}

RunProgress progress_of(const TrainState& state, const ProgressBounds& bounds,
                        const std::string& origin) {
  RunProgress progress;
  progress.step = state.step;
  // The ranges of some rows depend on the values of earlier rows, so the table is built again for
  // each.
  const size_t rows = table(progress, bounds).size();
  for (size_t i = 0; i < rows; ++i) {
    const Row row = table(progress, bounds)[i];
    set(row.place, checked(row, state, origin));
  }
  return progress;
}

}  // namespace convoy
