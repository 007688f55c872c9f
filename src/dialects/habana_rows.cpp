#include "dialects/habana_rows.h"

#include <algorithm>

#include "base/show.h"
#include "base/threads/cores.h"
#include "config/value.h"
#include "dialects/dialect_plan.h"

namespace convoy {

void plan_tensorflow_pictures(DialectPlan& plan, int label_offset) {
  plan.set("dataset", "imagenet");
  plan.set("crop", "distorted-box");
  plan.set("augment", "flip");
  plan.set("interpolation", "legacy-bilinear");
  plan.set("mean", "0.485019608,0.457960784,0.407607843");
  plan.set("std", "0.00392156863");
  plan.set("num-classes", "1001");
  plan.set("label-offset", std::to_string(label_offset));
}

void plan_dtype(DialectPlan& plan) {
  const std::string dtype = plan.text("dtype"), image = plan.text("data_loader_image_type");
  const bool is_half = dtype != "fp32";
  if (image == "bf16" && dtype != "bf16") {
    plan.refuse("data_loader_image_type",
                "images of bf16 are for networks in bf16; try: --dtype bf16, or fp32 images");
  }
  if (!is_half) plan.drop("data-loader-image-type");
  if (is_half) plan.set("precision", "16.32");
  if (dtype == "fp16") plan.set("dtype", "fp16");
  plan.explain("dtype", !is_half          ? "--precision 32.32"
                        : dtype == "fp16" ? "--precision 16.32 --dtype fp16"
                                          : "--precision 16.32: bf16, weights in fp32");
  const std::string scale = plan.text("loss_scale");
  double number = 0;
  const bool is_dynamic = small_letters(scale) == "dynamic";
  if (!scale.empty() && !is_dynamic && (!parse_value(scale, number).empty() || number <= 0)) {
    plan.refuse("loss_scale", "is neither a positive number nor dynamic; try: --loss_scale 128");
  }
  if (!scale.empty()) {
    plan.set("loss-scale", is_dynamic ? "dynamic" : scale);
  } else if (dtype == "fp16") {
    plan.set("loss-scale", "128");
  }
}

void plan_habana(DialectPlan& plan, const std::string& default_data_dir) {
  plan_dtype(plan);
  if (plan.on("use_synthetic_data")) {
    plan.use_generated(1281167);
  } else {
    const std::string home = plan.variable("IMAGENET_HOME");
    const std::string folder = home.empty() ? default_data_dir : home + "/tf_records";
    plan.set("data-dir", plan.given("data_dir") ? plan.text("data_dir") : folder);
  }
  if (!plan.on("experimental_preloading")) {
    plan.set("prefetch", "1");
    plan.explain("experimental_preloading", "--prefetch 1: one batch ahead");
  }
  if (plan.given("dataset_parallel_calls") && !plan.given("datasets_num_private_threads")) {
    const int64_t most = std::min<int64_t>(plan.count("dataset_parallel_calls"), available_cores());
    plan.set("workers", std::to_string(most));
    plan.explain("dataset_parallel_calls", fmt::format("--workers {}", most));
  }
  if (plan.given("sample_distorted_bounding_box_seed")) {
    plan.set("crop-seed", plan.text("sample_distorted_bounding_box_seed"));
  }
  plan.use_folder(plan.text("model_dir"));
  plan.clean = plan.on("clean");
  const int ranks = plan.processes().ranks;
  if (ranks > 1) plan.set("replicas", std::to_string(ranks));
}

}  // namespace convoy
