// A task turns a model into something that can be trained: which inputs its network has, its losses
// and outputs, and what its results are. One file of tasks/ each; a model names its task.
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
  int64_t batch;     // images of the plan: all replicas that run together
  int replicas = 1;  // of them
  Shape image;       // [c, h, w]
  bool train = true;
  bool predict = false;  // the outputs that are for other programs alone, and no inputs but images
                         // (and keys); not when training
};

struct TaskGraph {
  Graph graph;
  std::vector<Loss> losses;  // none without training
  Value loss_scale;          // an input; absent in evaluation
};

class Task {
 public:
  virtual ~Task() = default;
  virtual TaskGraph build(const TaskShape& shape) const = 0;
  virtual std::unique_ptr<Results> results() const = 0;  // of no samples
  // Adds the rows of a run on `batch`: of its first `valid` samples, where their weight is not 0.
  virtual void read(const Executor& executor, const Batch& batch, Rows& rows) const = 0;
  // What samples become in a batch; null: a batch has the tensors of the dataset's samples.
  virtual const SampleForm* form() const { return nullptr; }
};

// What a task is made for.
struct TaskSite {
  FoundModel model;
  int classes = 0;
  ModelOptions options = {};
  // For training; null: to be used only.
  const RunConfig* run = nullptr;
  const Dataset* train_set = nullptr;
  ops::ByteTables tables = {};  // what makes floats of images that come as bytes; none: floats come
};

// One entry of the folder train/tasks.
struct TaskDef {
  std::string_view name;  // as models name it
  std::string_view help;
  std::span<const MetricDef> metrics;  // of an evaluation, in the order in which they are shown
  std::unique_ptr<Task> (*make)(const TaskSite&) = nullptr;
};

const std::vector<TaskDef>& task_catalog();

// The task of a model; one that there is not is a programmer's error.
const TaskDef& task_of(const ModelDef& family);
std::unique_ptr<Task> make_task(const TaskSite& site);

// The graph of a network that is used, not trained: images in, the outputs for other programs. No
// classes (0) or no `image` ([c, h, w]): the model's own.
Graph used_graph(const TaskSite& site, const Shape& image = {}, int64_t batch = 1);

}  // namespace convoy
