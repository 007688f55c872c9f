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

}  // namespace convoy
