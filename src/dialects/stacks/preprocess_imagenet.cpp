// Habana's preprocess_imagenet: ImageNet's tars or folders become TFRecords.

#include <filesystem>

#include "dialects/dialect_plan.h"

namespace convoy {
namespace {

constexpr std::array rows{
    DialectRow{"raw_data_dir", "path", "", 'P', "--input {}"},
    DialectRow{"local_scratch_dir", "path", "", 'P', "--output {}"},
    DialectRow{"gcs_upload", "bool", "true", 'H', "nothing is uploaded"},
    DialectRow{"project", "text", "", 'H', "nothing is uploaded"},
    DialectRow{"gcs_output_path", "text", "", 'H', "nothing is uploaded"},
    DialectRow{"imagenet_username", "text", "", 'H', "nothing is downloaded"},
    DialectRow{"imagenet_access_key", "text", "", 'H', "nothing is downloaded"},
};

void plan_records(DialectPlan& plan) {
  plan.verb = "prepare";
  plan.verb_words = {"imagenet"};
  const std::string home = plan.variable("IMAGENET_HOME");
  if (!plan.has("raw_data_dir")) {
    if (home.empty())
      plan.refuse("raw_data_dir", "is required; try: --raw_data_dir FOLDER, or set IMAGENET_HOME");
    plan.set("input", home);
  }
  if (!plan.has("local_scratch_dir")) {
    plan.set("output",
             (std::filesystem::path(plan.options.at("input").text) / "tf_records").string());
  }
  if (plan.on("gcs_upload")) plan.note("nothing is uploaded: the records stay in the folder");
}

constexpr std::array variables{
    DialectVariable{"IMAGENET_HOME", "path", 'P',
                    "the folder of the pictures, without --raw_data_dir"},
};

}  // namespace

Dialect preprocess_imagenet_dialect() {
  return {.name = "preprocess_imagenet",
          .summary = "Habana's script: ImageNet's pictures become TFRecords",
          .programs = {{.name = "preprocess_imagenet",
                        .summary = "convoy prepare imagenet, under the script's name",
                        .manners = Manners::absl,
                        .rows = {rows},
                        .variables = variables,
                        .example = "convoy preprocess_imagenet --raw_data_dir=$IMAGENET_HOME "
                                   "--local_scratch_dir=$IMAGENET_HOME/tf_records --nogcs_upload",
                        .plan = plan_records}}};
}

}  // namespace convoy
