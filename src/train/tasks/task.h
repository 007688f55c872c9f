// A task turns a model into a trainable network: it defines inputs, losses, outputs and results.
// One file in tasks/ per task; a model names its task.
#pragma once

#include <cstdint>
#include <memory>
#include <span>
#include <string_view>
#include <vector>

#include "compile/compile.h"
#include "data/loading/batch.h"
#include "engine/executor.h"
#include "graph/graph.h"
#include "models/model.h"
#include "ops/byte_image.h"
#include "train/tasks/results.h"

namespace convoy {

class Dataset;
struct RunConfig;

struct TaskShape {
  int64_t batch;     // images of the plan: of all replicas that run together
  int replicas = 1;  // in that batch
  Shape image;       // [c, h, w]
  bool train = true;
  // The network alone: images (and keys) in, outputs for other programs out; no labels, no losses.
  // Not in training. The verb predict runs the graph of an evaluation instead.
  bool for_export = false;
};

struct TaskGraph {
  Graph graph;
  std::vector<Loss> losses;  // empty in evaluation
  Value loss_scale;          // an input; absent in evaluation
};

class Task {
 public:
  virtual ~Task() = default;
  virtual TaskGraph build(const TaskShape& shape) const = 0;
  virtual std::unique_ptr<Results> results() const = 0;  // empty results
  // Adds the rows of a run on `batch`: its first `valid` samples, except those with weight 0.
  virtual void read(const Executor& executor, const Batch& batch, Rows& rows) const = 0;
  // How samples are stored in a batch; null: a batch has the tensors of the dataset's samples.
  virtual const SampleForm* form() const { return nullptr; }
};

// What a task is made from.
struct TaskSite {
  FoundModel model;
  int classes = 0;
  ModelOptions options = {};
  // For training; null: for use only.
  const RunConfig* run = nullptr;
  const Dataset* train_set = nullptr;
  Shape image = {};             // [c, h, w] of its images; rank 0: the model's own
  ops::ByteTables tables = {};  // to convert byte images to floats; null: images arrive as floats
};

// One entry of the folder train/tasks.
struct TaskDef {
  std::string_view name;  // as in models
  std::string_view help;
  std::span<const MetricDef> metrics;  // of an evaluation, in display order
  std::unique_ptr<Task> (*make)(const TaskSite&) = nullptr;
  bool of_objects = false;  // samples have objects (data/objects.h), else a label
};

const std::vector<TaskDef>& task_catalog();

// The task of a model. An unknown name is a bug.
const TaskDef& task_of(const ModelDef& family);
// A training set whose samples are of another kind is a usage error, as `check_samples`.
std::unique_ptr<Task> make_task(const TaskSite& site);

// A dataset whose samples are not what the model's task needs is a usage error that names both.
void check_samples(const FoundModel& model, const Dataset& data);

// The graph of a network for use without training: images in, outputs for other programs. Without
// classes (0) or `image` ([c, h, w]): the model's defaults.
Graph used_graph(const TaskSite& site, const Shape& image = {}, int64_t batch = 1);

}  // namespace convoy
