#include "app/network/model_facts.h"

#include "graph/site.h"
#include "train/tasks/task.h"

namespace convoy {

ModelFacts model_facts(const FoundModel& model, int classes, int image_size,
                       const ModelOptions& options) {
  ModelFacts facts;
  facts.graph =
      used_graph({.model = model, .classes = classes, .options = options}, model.image(image_size));
  for (const Param& p : facts.graph.params) facts.trainable += p.shape.count();
  for (const Stat& s : facts.graph.stats) facts.statistics += s.shape.count();
  for (const int id : facts.graph.order) {
    facts.multiply_adds += cost_of(facts.graph, facts.graph.node(id)).flops / 2;
  }
  return facts;
}

}  // namespace convoy
