// Pictures through a network and what it says of them to where it was asked for.
#pragma once

#include <string>
#include <vector>

#include "app/network/inference.h"
#include "app/predict/pictures.h"
#include "app/predict/predictions.h"
#include "app/progress.h"

namespace convoy {

struct PredictorOptions {
  int top = 5;           // classes told of each picture
  bool json = false;     // lines of JSON on the screen rather than of text
  std::string output;    // JSON lines go to this file; empty: they go to the screen
  std::string logits;    // all logits go to this file; empty: to none
  std::string draw;      // pictures with their likeliest classes go to this folder; empty: to none
  std::string pixels;    // what the network was shown goes to this file; empty: to none
  bool upright = false;  // drawn as EXIF data say, which is how the network saw them
};

class Predictor {
 public:
  // Keeps options and network, whose weights are loaded. `total`: pictures that will come.
  Predictor(const PredictorOptions& options, std::vector<std::string> class_names,
            InferenceNetwork& network, int64_t total);

  // All of them; may be called again, and counts on. What is no picture is named on standard error
  // and left out.
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
  bool labelled_ = true;  // all so far
  ProgressLine progress_;
  std::unique_ptr<Results> results_;
  Rows rows_;
  int64_t bad_ = 0;
  std::string lines_;
  int64_t seen_ = 0;  // pictures, good and bad
  Shape image_;       // of a batch
  std::vector<float> logits_, pixels_;
};

}  // namespace convoy
