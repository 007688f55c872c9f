// Runs a network on pictures and writes what its answers tell to the requested outputs.
#pragma once

#include <string>
#include <vector>

#include "app/network/inference.h"
#include "app/predict/answer.h"
#include "app/predict/pictures.h"
#include "app/progress.h"
#include "tensor/arena.h"

namespace convoy {

struct PredictorOptions {
  bool json = false;     // print JSON lines, not text
  std::string output;    // file for JSON lines; empty: they are printed
  std::string draw;      // folder for pictures with what was found; empty: none
  std::string pixels;    // file for the network's inputs; empty: none
  bool upright = false;  // draw pictures rotated by EXIF, as the network saw them
};

class Predictor {
 public:
  // Keeps all three; the network's weights must be loaded. `total`: the expected number of
  // pictures.
  Predictor(const PredictorOptions& options, Answer& answer, InferenceNetwork& network,
            int64_t total);

  // Runs the network on all pictures; may be called again and continues counting. Undecodable
  // pictures are reported on standard error and skipped.
  void take(Pictures& pictures);
  // Writes the files, each complete or not at all, and prints the summary (not with --json).
  void finish();
  int64_t bad() const { return bad_; }

 private:
  void bind(const Batch& batch);
  void warn_of_bad(const Batch& batch);
  void tell();
  void draw(const SeenPicture& picture) const;
  std::string summary() const;

  const PredictorOptions& options_;
  Answer& answer_;
  InferenceNetwork& network_;
  int64_t total_;
  bool prints_;
  bool labelled_ = true;  // all so far have labels
  Arena blank_;           // in place of unknown inputs
  ProgressLine progress_;
  std::unique_ptr<Results> results_;
  Rows rows_;
  int64_t bad_ = 0;
  std::string lines_;
  int64_t seen_ = 0, valid_ = 0;  // pictures so far
  Shape image_;                   // [c, h, w] of a batch
  std::vector<float> pixels_;
};

}  // namespace convoy
