#include "train/tasks/task.h"

#include "base/error.h"

namespace convoy {

const TaskDef& task_of(const ModelDef& family) {
  for (const TaskDef& def : task_catalog()) {
    if (def.name == family.task) return def;
  }
  raise(Fault::bug, "the model family {} is for the task {}, which is not there", family.family,
        family.task);
}

std::unique_ptr<Task> make_task(const TaskSite& site) {
  return task_of(site.model.family).make(site);
}

Graph used_graph(const TaskSite& site, const Shape& image, int64_t batch) {
  TaskSite full = site;
  if (full.classes == 0) full.classes = full.model.classes();
  return make_task(full)
      ->build({.batch = batch,
               .image = image.rank() == 0 ? full.model.image() : image,
               .train = false,
               .predict = true})
      .graph;
}

}  // namespace convoy
