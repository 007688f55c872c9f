// A program of two options, for tests/extra/add_one_file.py.

#include <array>

#include "dialects/dialect_plan.h"

namespace convoy {
namespace {

constexpr std::array rows{
    DialectRow{"images n", "int>=1", "7", 'P', "--batch-size {}"},
    DialectRow{"device", "a|b", "a", 'H', "Convoy computes on the CPU"},
};

void plan_tiny(DialectPlan& plan) {
  plan.set("model", "cifar_resnet8");
  plan.use_generated(100);
}

}  // namespace

Dialect tiny_dialect() {
  return {.name = "tiny",
          .summary = "a program of two options",
          .programs = {{.name = "tiny", .summary = "trains", .rows = {rows}, .plan = plan_tiny}}};
}

}  // namespace convoy
