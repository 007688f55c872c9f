#include "train/tasks/task.h"

#include "base/error.h"
#include "data/dataset.h"

namespace convoy {

const TaskDef& task_of(const ModelDef& family) {
  for (const TaskDef& def : task_catalog()) {
    if (def.name == family.task) return def;
  }
  raise(Fault::bug, "the model family {} is for the task {}, which is not there", family.family,
        family.task);
}

void check_samples(const FoundModel& model, const Dataset& data) {
  const bool of_objects = task_of(model.family).of_objects;
  if (of_objects == data.has_objects()) return;
  if (of_objects) {
    raise(Fault::usage,
          "{} detects objects, and the samples of this dataset have a class and no objects; try: "
          "--dataset coco, or a model that classifies",
          model.variant.name);
  }
  raise(Fault::usage,
        "{} classifies images, and the samples of this dataset have objects and no class; try: "
        "--model ssd_resnet34, or a dataset of classes",
        model.variant.name);
}

std::unique_ptr<Task> make_task(const TaskSite& site) {
  if (site.train_set) check_samples(site.model, *site.train_set);
  return task_of(site.model.family).make(site);
}

Graph used_graph(const TaskSite& site, const Shape& image, int64_t batch) {
  TaskSite full = site;
  if (full.classes == 0) full.classes = full.model.classes();
  full.image = image.rank() == 0 ? full.model.image() : image;
  return make_task(full)
      ->build({.batch = batch, .image = full.image, .train = false, .for_export = true})
      .graph;
}

}  // namespace convoy
