#include "app/network/model_facts.h"

#include "graph/builder.h"
#include "graph/site.h"

namespace convoy {

ModelFacts model_facts(const FoundModel& model, int classes, int image_size,
                       const ModelOptions& options) {
  ModelFacts facts;
  const int64_t size = image_size ? image_size : model.image_size();
  Builder b(facts.graph, false);
  const Value image = b.input("image", {{1, model.family.channels, size, size}});
  const Value key = b.input("key", {{1}, DType::s64});
  b.output("logits", model.variant.build(b, {image, key, classes, options}));
  for (const Param& p : facts.graph.params) facts.trainable += p.shape.count();
  for (const Stat& s : facts.graph.stats) facts.statistics += s.shape.count();
  for (const int id : facts.graph.order) {
    facts.multiply_adds += cost_of(facts.graph, facts.graph.node(id)).flops / 2;
  }
  return facts;
}

}  // namespace convoy
