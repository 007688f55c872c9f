// The results of the samples of an evaluation or an epoch. Each sample has a row of numbers of any
// length. Rows are added in the order of samples, wherever they were computed, so sums have the
// same digits for any number of processes. Each task has its own type of results.
#pragma once

#include <cstdint>
#include <map>
#include <memory>
#include <span>
#include <string>
#include <vector>

#include "train/checkpoint/train_state.h"
#include "train/tasks/metric.h"
#include "train/tasks/object_results.h"
#include "train/tasks/sample_result.h"

namespace convoy {

// Rows one after another, each preceded by its length.
class Rows {
 public:
  void clear() { flat_.clear(); }
  void add(std::span<const double> row);
  void append(std::span<const double> flat) { flat_.insert(flat_.end(), flat.begin(), flat.end()); }
  std::span<const double> flat() const { return flat_; }
  void reserve(size_t numbers) { flat_.reserve(numbers); }

 private:
  std::vector<double> flat_;
};

// Results in the form of a checkpoint.
struct SavedResults {
  std::map<std::string, double> numbers;
  std::map<std::string, std::vector<double>> lists;
};

class Results {
 public:
  virtual ~Results() = default;

  // Adds a sample's row; the first number is its loss (0 if there is none).
  void add(std::span<const double> row);
  void add(const Rows& rows);
  // Adds the results of later samples as sums, not row by row.
  void merge(const Results& later);
  void clear();

  int64_t samples() const { return samples_; }
  double loss() const { return loss_; }  // sum over the samples
  double mean_loss() const { return samples_ ? loss_ / static_cast<double>(samples_) : 0; }
  // In the order in which they are shown.
  virtual std::vector<Metric> metrics() const = 0;
  // Only the task's main metric; allocates nothing.
  virtual Metric main() const = 0;
  // Of an evaluation, in the order of samples; empty: the task has none, or of training.
  virtual std::span<const SampleResult> each() const { return {}; }
  // Of an evaluation; null: the task has none. `names`: of the set's classes.
  virtual std::shared_ptr<const ObjectResults> objects(
      const std::vector<std::string>& /*names*/) const {
    return nullptr;
  }

  SavedResults save() const;
  // Restores what `save` returned. Impossible numbers (more correct samples than samples, or more
  // samples than `most`) are Fault::checkpoint naming `origin`.
  void restore(const SavedResults& saved, int64_t most, const std::string& origin);

 private:
  // Adds a row without its loss.
  virtual void add_rest(std::span<const double> row) = 0;
  virtual void merge_rest(const Results& later) = 0;
  virtual void clear_rest() = 0;
  virtual void save_rest(SavedResults& into) const = 0;
  // Returns an error text; empty: none. If the numbers that it knows are absent, it changes
  // nothing.
  virtual std::string restore_rest(const SavedResults& saved) = 0;

  double loss_ = 0;
  int64_t samples_ = 0;
};

// Saves to and restores from a checkpoint's state, with keys that begin with `epoch_`.
void save_epoch(const Results& results, TrainState& state);
void restore_epoch(const TrainState& state, int64_t most, const std::string& origin,
                   Results& results);

// Reads an integer in [0, most]; false: it is missing or invalid.
bool take_count(const SavedResults& saved, const std::string& key, int64_t most, int64_t& into);

}  // namespace convoy
