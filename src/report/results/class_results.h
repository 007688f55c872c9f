// What the results of the samples of an evaluation say about a classifier: which classes it takes
// for which, how right it is where it is sure.
#pragma once

#include <cstdint>
#include <span>
#include <string>
#include <vector>

#include "train/tasks/sample_result.h"

namespace convoy {

struct ClassRow {
  std::string name;
  int64_t samples = 0, predicted = 0, right = 0;  // of this class; said to be; both

  // 0 where there is nothing to divide by.
  double precision() const;
  double recall() const;
  double f1() const;
};

// The samples whose confidence is in a tenth of 0 to 1.
struct CalibrationBin {
  int64_t samples = 0, right = 0;
  double confidence = 0;  // sum
};

struct Confusion {
  int32_t truth = 0, predicted = 0;
  int64_t samples = 0;
};

struct ClassResults {
  int64_t samples = 0, right = 0;
  std::vector<ClassRow> classes;
  std::vector<int64_t> matrix;        // [truth][predicted]
  std::vector<CalibrationBin> bins;   // ten
  double calibration_error = 0;       // mean over samples of |confidence - share right| of its bin
  std::vector<Confusion> confusions;  // the most frequent mistakes, most frequent first

  int64_t count(size_t truth, size_t predicted) const {
    return matrix[truth * classes.size() + predicted];
  }
};

// Samples with a label or prediction outside of [0, classes) are left out; a class without a name
// is called by its number. There are as many classes as names, but at least one more than the
// largest label.
ClassResults class_results(const SampleResults& results);

}  // namespace convoy
