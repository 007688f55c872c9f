// Classifies pictures with a network and writes the results to the requested outputs.
#pragma once

#include <string>
#include <vector>

#include "app/network/inference.h"
#include "app/predict/pictures.h"
#include "app/predict/predictions.h"
#include "app/progress.h"

namespace convoy {

struct PredictorOptions {
  int top = 5;           // number of classes shown per picture
  bool json = false;     // print JSON lines, not text
  std::string output;    // file for JSON lines; empty: they are printed
  std::string logits;    // file for all logits; empty: none
  std::string draw;      // folder for pictures with their top classes; empty: none
  std::string pixels;    // file for the network's inputs; empty: none
  bool upright = false;  // draw pictures rotated by EXIF, as the network saw them
};

class Predictor {
 public:
  // Keeps options and network, whose weights must be loaded. `total`: the expected number of
  // pictures.
  Predictor(const PredictorOptions& options, std::vector<std::string> class_names,
            InferenceNetwork& network, int64_t total);

  // Classifies all pictures; may be called again and continues counting. Undecodable pictures are
  // reported on standard error and skipped.
  void take(Pictures& pictures);
  // Writes the files, each complete or not at all, and prints the summary (not with --json).
  void finish();
  int64_t bad() const { return bad_; }

 private:
  void tell(const Prediction& prediction);
  void draw(const Prediction& prediction) const;
  std::string summary() const;

  const PredictorOptions& options_;
  std::vector<std::string> names_;
  InferenceNetwork& network_;
  int64_t total_;
  bool prints_;
  bool labelled_ = true;  // all so far have labels
  ProgressLine progress_;
  std::unique_ptr<Results> results_;
  Rows rows_;
  int64_t bad_ = 0;
  std::string lines_;
  int64_t seen_ = 0;  // pictures so far, valid or not
  Shape image_;       // [c, h, w] of a batch
  std::vector<float> logits_, pixels_;
};

}  // namespace convoy
