// The network to export: its graph, weights and metadata, and pictures to compare its outputs with.
#pragma once

#include <memory>
#include <string>

#include "app/export/verify_export.h"
#include "app/network/inference.h"
#include "engine/state.h"

namespace convoy {

class ExportSource {
 public:
  // `image_size` 0: taken from the weights or their dataset, else the model's default. The dataset
  // is opened only if nothing else gives the size. Keeps references to both arguments.
  ExportSource(const InferenceOptions& options, const OpenedModel& opened, int64_t image_size);

  const FoundModel& model() const { return opened_.model; }
  const Shape& image() const { return image_; }  // [c, h, w]
  int classes() const { return classes_; }
  // Parameters and statistics, in the order of the model.
  const std::vector<TensorEntry>& tensors() const { return tensors_; }
  GraphRun::Weights weights() const;
  // Adds num_batches_tracked beside the statistics, which PyTorch's strict loading requires.
  std::vector<TensorEntry> all_tensors() const;
  // The file's metadata, completed by typed options.
  Metadata metadata() const;

  // The outputs for other programs, as defined by the network's task (train/tasks/task.h).
  Graph graph(int64_t batch, bool probabilities = false) const;

  // Images for the comparison: the test images of the weights' dataset if it opens and fits,
  // otherwise noise. `images`: their number.
  struct Pictures {
    std::string name;
    int64_t images;
    ImageSource source;
  };
  Pictures pictures(int64_t wanted);

 private:
  const Dataset& dataset();
  // False: the dataset named by the weights is not on this machine. A dataset that the user named
  // must open.
  bool opens();
  bool names_data() const;  // --dataset or --data-dir was typed

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
