// What a run came to, in a box at its end: curves, results, and what to do next.
#pragma once

#include <optional>
#include <string>
#include <vector>

#include "report/bar.h"
#include "report/block_curve.h"
#include "report/past_evals.h"
#include "train/event.h"

namespace convoy {

class SummaryBox {
 public:
  void hear(const RunEvent& event);

  // Lines in a frame, at most `width - 1` columns; without a frame where that is narrow. Nothing is
  // cut: commands that do not fit follow below, in lines that a shell takes as one. `evals`: the
  // run's last and best evaluation.
  std::string text(const RunEnd& end, const PastEvals& evals, int width,
                   const BarStyle& style) const;

 private:
  std::vector<std::string> results(const RunEnd& end, const PastEvals& evals, size_t inner,
                                   const BarStyle& style) const;

  std::string title_, run_dir_;
  bool is_resumed_ = false;
  KeptCurve losses_, metrics_, rates_;
  std::optional<double> first_loss_;
  double last_loss_ = 0;
};

}  // namespace convoy
