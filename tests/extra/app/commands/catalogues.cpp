// A verb: how many entries some catalogues have.
#include "app/command.h"
#include "base/show.h"
#include "data/augment/augment.h"
#include "models/model.h"

namespace convoy {
namespace {

int run(const CommandLine&) {
  show("{} families of models, {} augmentations\n", model_catalog().size(),
       augment_catalog().size());
  return 0;
}

}  // namespace

CommandDef catalogues_command() {
  return {.name = "catalogues",
          .summary = "count the entries of catalogues",
          .usage = "catalogues",
          .details = "",
          .describe = [](Fields&) {},
          .run = run};
}

}  // namespace convoy
