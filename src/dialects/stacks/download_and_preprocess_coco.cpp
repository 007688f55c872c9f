// TensorFlow's script download_and_preprocess_coco, without the download: the pictures and
// annotations of COCO 2017 become TFRecords.

#include <filesystem>

#include "base/error.h"
#include "dialects/dialect_plan.h"

namespace convoy {
namespace {

constexpr std::array rows{
    DialectRow{"raw-data", "path", "", 'P', "--input {}"},
};

void plan_coco(DialectPlan& plan) {
  const std::filesystem::path output = plan.words()[0];
  const std::filesystem::path raw =
      plan.has("raw-data") ? std::filesystem::path(plan.text("raw-data")) : output / "raw-data";
  plan.verb = "prepare";
  plan.verb_words = {"coco"};
  plan.set("input", raw.string());
  plan.set("output", output.string());
  plan.note("nothing is downloaded: " + raw.string() +
            " must hold train2017, val2017 and annotations");
}

}  // namespace

Dialect download_and_preprocess_coco_dialect() {
  return {
      .name = "download_and_preprocess_coco",
      .summary = "TensorFlow's script, its half without network: COCO's pictures become TFRecords",
      .programs = {{.name = "download_and_preprocess_coco",
                    .summary = "convoy prepare coco, under the script's name",
                    .rows = {rows},
                    .example = "convoy download_and_preprocess_coco /data/coco2017/ssd_tf_records",
                    .words = {"FOLDER"},
                    .plan = plan_coco}}};
}

}  // namespace convoy
