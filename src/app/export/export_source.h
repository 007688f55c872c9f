// The network that is exported: weights in memory, what they say about themselves, and pictures to
// compare with.
#pragma once

#include <memory>
#include <string>

#include "app/export/verify_export.h"
#include "app/network/inference.h"
#include "engine/state.h"

namespace convoy {

class ExportSource {
 public:
  // `image_size` 0: what the weights or their dataset say, else the model's own. The dataset is
  // opened only where nothing else answers. Keeps both.
  ExportSource(const InferenceOptions& options, const OpenedModel& opened, int64_t image_size);

  const FoundModel& model() const { return opened_.model; }
  const Shape& image() const { return image_; }  // [c, h, w]
  int classes() const { return classes_; }
  // Parameters and statistics, as the model has them.
  const std::vector<TensorEntry>& tensors() const { return tensors_; }
  GraphRun::Weights weights() const;
  // With num_batches_tracked beside the statistics, which PyTorch's strict loading wants.
  std::vector<TensorEntry> all_tensors() const;
  // What the file said, made up for with what was typed.
  Metadata metadata() const;

  // What the network's task gives to other programs (train/tasks/task.h).
  Graph graph(int64_t batch, bool probabilities = false) const;

  // For a comparison: the test images of the weights' own dataset where it opens and fits, noise
  // otherwise. `images` is what there are of them.
  struct Pictures {
    std::string name;
    int64_t images;
    ImageSource source;
  };
  Pictures pictures(int64_t wanted);

 private:
  const Dataset& dataset();
  // False: the data that the weights speak of are not on this machine. Data that somebody typed
  // must open.
  bool opens();
  bool names_data() const;  // whether --dataset or --data-dir was typed

  const InferenceOptions& options_;
  const OpenedModel& opened_;
  bool has_dataset_;
  std::shared_ptr<const Dataset> dataset_;
  Shape image_;
  int classes_ = 0;
  int64_t updates_ = 0;
  std::unique_ptr<State> state_;
  std::vector<TensorEntry> tensors_;
};

}  // namespace convoy
