// The numbers of a run over its steps, from metrics.jsonl: for curves and comparisons. They can be
// read again and again while the run goes on; only what is new is read.
#pragma once

#include <limits>
#include <string>
#include <string_view>
#include <vector>

#include "report/runs/followed_file.h"

namespace convoy {

// Events of one kind as a table: a column for each field that has numbers, a row for each event. A
// field that an event does not have is NaN in its row.
class EventTable {
 public:
  // At most this many rows are kept (0: all): of more, every second one is dropped, again and
  // again.
  explicit EventTable(size_t most_rows = 0) : most_rows_(most_rows) {}

  size_t rows() const { return rows_; }
  const std::vector<std::string>& names() const { return names_; }
  // Empty if no event has the field.
  const std::vector<double>& column(std::string_view name) const;
  // The last value of a column that is a number; NaN: there is none.
  double last(std::string_view name) const;

  void clear();
  // A row is begun, gets its values, and is ended.
  void begin() { row_.assign(columns_.size(), std::numeric_limits<double>::quiet_NaN()); }
  void set(std::string_view name, double value);
  void end();

 private:
  void thin();

  size_t most_rows_;
  size_t rows_ = 0;
  size_t seen_ = 0, stride_ = 1;  // every `stride_`-th row is kept
  size_t next_ = 0;               // fields mostly come in the order of the columns
  std::vector<std::string> names_;
  std::vector<std::vector<double>> columns_;
  std::vector<double> row_;
};

// Adds a line of metrics.jsonl to the table of its kind; others are passed over.
class RunCurves {
 public:
  explicit RunCurves(const fs::path& run);

  // Reads what is new. A run without metrics.jsonl, or that was removed, has no rows.
  FollowedFile::News update();

  const EventTable& train() const { return train_; }
  const EventTable& evals() const { return evals_; }
  // Lines that are no JSON.
  size_t damaged_lines() const { return damaged_; }

 private:
  void clear();
  void take(std::string_view line);

  FollowedFile file_;
  EventTable train_{1 << 17}, evals_;
  size_t damaged_ = 0;
};

// A table with a head line, as summary.csv; fields that are empty or no numbers are NaN, lines with
// another number of fields are left out.
EventTable read_number_csv(const fs::path& path);

// Indices of at most about `most` points that show the same curve: the lowest and highest of each
// piece of it, in order. NaNs are left out.
std::vector<size_t> telling_points(const std::vector<double>& values, size_t most);

}  // namespace convoy
