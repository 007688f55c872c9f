#include "train/tasks/results.h"

#include <cmath>

#include "base/error.h"

namespace convoy {

void Rows::add(std::span<const double> row) {
  flat_.push_back(static_cast<double>(row.size()));
  append(row);
}

void Results::add(std::span<const double> row) {
  expect(!row.empty(), "a row begins with its loss");
  loss_ += row[0];
  ++samples_;
  add_rest(row.subspan(1));
}

void Results::add(const Rows& rows) {
  for (std::span<const double> flat = rows.flat(); !flat.empty();) {
    const auto length = static_cast<size_t>(flat[0]);
    add(flat.subspan(1, length));
    flat = flat.subspan(1 + length);
  }
}

void Results::merge(const Results& later) {
  loss_ += later.loss_;
  samples_ += later.samples_;
  merge_rest(later);
}

void Results::clear() {
  loss_ = 0;
  samples_ = 0;
  clear_rest();
}

SavedResults Results::save() const {
  SavedResults saved;
  saved.numbers = {{"loss", loss_}, {"samples", static_cast<double>(samples_)}};
  save_rest(saved);
  return saved;
}

void Results::restore(const SavedResults& saved, int64_t most, const std::string& origin) {
  const auto refuse = [&](const std::string& why) {
    raise(Fault::checkpoint, "{}: {}: the file was changed; try: an older checkpoint of the run",
          origin, why);
  };
  if (!take_count(saved, "samples", most, samples_)) {
    refuse(fmt::format("epoch_samples is missing or not a whole number between 0 and {}", most));
  }
  constexpr double largest_loss = 3.5e38;
  const auto loss = saved.numbers.find("loss");
  const double bound = largest_loss * static_cast<double>(std::max<int64_t>(most, 1));
  if (loss == saved.numbers.end() || !(std::abs(loss->second) <= bound)) {
    refuse("epoch_loss is missing or no sum of losses");
  }
  loss_ = loss->second;
  if (const std::string wrong = restore_rest(saved); !wrong.empty()) refuse(wrong);
}

namespace {

constexpr std::string_view of_epoch = "epoch_";

template <class T>
void take_epoch(const std::map<std::string, T>& from, std::map<std::string, T>& into) {
  for (const auto& [key, value] : from) {
    if (key.starts_with(of_epoch)) into[key.substr(of_epoch.size())] = value;
  }
}

}  // namespace

void save_epoch(const Results& results, TrainState& state) {
  const SavedResults saved = results.save();
  const std::string prefix(of_epoch);
  for (const auto& [key, value] : saved.numbers) state.numbers[prefix + key] = value;
  for (const auto& [key, list] : saved.lists) state.lists[prefix + key] = list;
}

void restore_epoch(const TrainState& state, int64_t most, const std::string& origin,
                   Results& results) {
  SavedResults saved;
  take_epoch(state.numbers, saved.numbers);
  take_epoch(state.lists, saved.lists);
  results.restore(saved, most, origin);
}

bool take_count(const SavedResults& saved, const std::string& key, int64_t most, int64_t& into) {
  const auto found = saved.numbers.find(key);
  if (found == saved.numbers.end()) return false;
  const double value = found->second;
  if (!(value >= 0 && value <= static_cast<double>(most) && std::floor(value) == value)) {
    return false;
  }
  into = static_cast<int64_t>(value);
  return true;
}

}  // namespace convoy
