// What the samples of an evaluation or of an epoch gave. Every sample has a row of numbers, of any
// length; rows are added in the order of samples, whatever ran where, so that sums have the same
// digits on any number of processes. Each task has a type of results of its own.
#pragma once

#include <cstdint>
#include <map>
#include <memory>
#include <span>
#include <string>
#include <vector>

#include "train/checkpoint/train_state.h"
#include "train/tasks/metric.h"

namespace convoy {

// Rows one after another, each behind its length.
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

// Results as a checkpoint keeps them.
struct SavedResults {
  std::map<std::string, double> numbers;
  std::map<std::string, std::vector<double>> lists;
};

class Results {
 public:
  virtual ~Results() = default;

  // A sample's row; the first number is its loss (0 where there is none).
  void add(std::span<const double> row);
  void add(const Rows& rows);
  // Adds those of later samples, whose sums are added as such.
  void merge(const Results& later);
  void clear();

  int64_t samples() const { return samples_; }
  double loss() const { return loss_; }  // the sum over the samples
  double mean_loss() const { return samples_ ? loss_ / static_cast<double>(samples_) : 0; }
  // In the order in which they are shown.
  virtual std::vector<Metric> metrics() const = 0;
  // The task's main metric alone; allocates nothing.
  virtual Metric main() const = 0;

  SavedResults save() const;
  // What `save` gave makes it equal. Numbers that cannot be, such as more right ones than there are
  // samples, or more samples than `most`, are Fault::checkpoint, which names `origin`.
  void restore(const SavedResults& saved, int64_t most, const std::string& origin);

 private:
  // Of the row without its loss.
  virtual void add_rest(std::span<const double> row) = 0;
  virtual void merge_rest(const Results& later) = 0;
  virtual void clear_rest() = 0;
  virtual void save_rest(SavedResults& into) const = 0;
  // Gives what is wrong; empty: nothing. Without numbers it knows it stays as it is.
  virtual std::string restore_rest(const SavedResults& saved) = 0;

  double loss_ = 0;
  int64_t samples_ = 0;
};

// As part of a checkpoint's state, under keys that begin with `epoch_`.
void save_epoch(const Results& results, TrainState& state);
void restore_epoch(const TrainState& state, int64_t most, const std::string& origin,
                   Results& results);

// A whole number in [0, most]; nothing: it is missing or is none.
bool take_count(const SavedResults& saved, const std::string& key, int64_t most, int64_t& into);

}  // namespace convoy
