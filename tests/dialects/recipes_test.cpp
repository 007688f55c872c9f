// Commands of other programs and the recipes of configs/ that were written from the same sources
// are the same runs.

#include <gtest/gtest.h>

#include <algorithm>

#include "config/config_file.h"
#include "dialects/support.h"
#include "support/places.h"

namespace convoy::test {
namespace {

struct Same {
  const char* recipe;
  const char* command;
  const char* environment = "";
};

class DialectRecipesCatalog : public testing::TestWithParam<Same> {};

// Recipes evaluate as suits them, and do not repeat what is the default of the model or the set.
const std::set<std::string> of_the_command{"data-dir",   "eval-epochs", "dataset-cache", "seed",
                                           "image-size", "eval-resize", "init-from",     "lr-per"};

TEST_P(DialectRecipesCatalog, AreTheSameRunAsTheCommand) {
  const std::vector<std::string> folders{(source_dir() / "configs").string()};
  const TranslatedCommand command =
      translated(std::string("convoy ") + GetParam().command, variables_of(GetParam().environment));
  EXPECT_EQ(recipe_of(command.plan->options, of_the_command),
            recipe_of(load_config(GetParam().recipe, folders, run_fields()), of_the_command));
}

constexpr const char* eight = "OMPI_COMM_WORLD_SIZE=8";
INSTANTIATE_TEST_SUITE_P(
    Recipes, DialectRecipesCatalog,
    testing::Values(
        Same{"imagenet/keras_resnet50_sgd", "keras -dt bf16 -dlit bf16 -te 90"},
        Same{"imagenet/keras_resnet50_lars",
             "keras -dt bf16 -dlit bf16 -te 40 --optimizer LARS --use_horovod "
             "--num_workers_per_hls 8"},
        Same{"imagenet/resnext101_90epochs",
             "resnext -dt bf16 -dlit bf16 -bs 128 -te 90 --use_horovod", eight},
        Same{"ssd/resnet34", "ssd"}, Same{"ssd/resnet34_64epochs", "ssd -e 64"},
        Same{"ssd/resnet34_8workers", "ssd -e 64 --use_horovod", eight},
        Same{"imagenet/resnet50_custom_lr",
             "torchrun --nproc_per_node 8 train.py --model resnet50 -b 256 --amp --device hpu"}),
    [](const auto& each) {
      std::string name = each.param.recipe;
      std::ranges::replace(name, '/', '_');
      return name;
    });

}  // namespace
}  // namespace convoy::test
