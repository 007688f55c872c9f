#include "app/predict/answer.h"

#include "base/error.h"

namespace convoy {

const AnswerDef& answer_for(const OpenedModel& opened) {
  const std::string_view task = opened.model.family.task;
  const AnswerDef* found = nullptr;
  for (const AnswerDef& def : answer_catalog()) {
    if (def.task == task) {
      found = &def;
      continue;
    }
    for (const std::string& key : option_keys(def.describe)) {
      const auto setting = opened.settings.find(key);
      if (setting == opened.settings.end() || setting->second.origin != "command line") continue;
      raise(Fault::usage, "--{} is for networks of {}, {} is one of {}; try: without it", key,
            def.task, opened.model.variant.name, task);
    }
  }
  if (found) return *found;
  raise(Fault::usage, "predict has no answers for {}, the task of {}; try: convoy eval", task,
        opened.model.variant.name);
}

}  // namespace convoy
