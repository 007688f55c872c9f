// What commands of other programs become here: fills, checks, classes, environment variables. Tests
// src/dialects/dialect_plan.cpp and src/dialects/stacks/.

#include <gtest/gtest.h>

#include "dialects/support.h"
#include "support/raises.h"

namespace convoy::test {
namespace {

std::string option(const std::string& command, const std::string& key,
                   const Variables& variables = {}) {
  const TranslatedCommand found = translated(command, variables);
  const auto at = found.plan->options.find(key);
  return at == found.plan->options.end() ? "(none)" : at->second.text;
}

TEST(DialectPlan, EveryOptionOfACommandIsExplained) {
  const auto json = explained(
      "convoy torchvision --model=resnet50 --device=cuda --use-torch-compile --amp --epochs 3");
  for (const char* name : {"model", "device", "use-torch-compile", "amp", "epochs"}) {
    ASSERT_TRUE(json["options"].contains(name)) << name;
    EXPECT_FALSE(json["options"][name]["convoy"].get<std::string>().empty()) << name;
  }
  EXPECT_EQ(json["recorded_only"], nlohmann::ordered_json::array({"use-torch-compile"}));
}

TEST(DialectPlan, HardwareOptionsAreValidated) {
  expect_raises(Fault::usage, {"available-memory-proportion", "between 0 and 1"}, [] {
    explained("convoy cnns --dataset imagenet --available-memory-proportion 2");
  });
  expect_raises(Fault::usage, {"POPLAR_ENGINE_OPTIONS", "JSON"}, [] {
    explained("convoy cnns --dataset imagenet", {{"POPLAR_ENGINE_OPTIONS", "{broken"}});
  });
  expect_raises(Fault::usage, {"PT_HPU_GPU_MIGRATION", "0, 1"}, [] {
    explained("convoy torchvision", {{"PT_HPU_GPU_MIGRATION", "banana"}});
  });
}

TEST(DialectPlan, TheMigrationToggleDecidesTheTypeOfAmp) {
  const std::string command = "convoy torchvision --amp --device cuda";
  EXPECT_EQ(option(command, "dtype"), "fp16");
  EXPECT_EQ(option(command, "loss-scale"), "dynamic");
  const Variables toggle{{"PT_HPU_CONVERT_FP16_TO_BF16_FOR_MIGRATION", "1"}};
  EXPECT_EQ(option(command, "dtype", toggle), "(none)");
  EXPECT_EQ(option(command, "precision", toggle), "16.32");
}

TEST(DialectPlan, LarsIsFilledInOnlyWhereNothingIsGiven) {
  EXPECT_EQ(option("convoy keras --optimizer LARS", "lr"), "2.5");
  EXPECT_EQ(option("convoy keras --optimizer LARS --use_horovod --num_workers_per_hls 8", "lr"),
            "9.5");
  EXPECT_EQ(
      option("convoy keras --optimizer LARS --base_learning_rate 4 --label_smoothing 0", "lr"),
      "4");
  EXPECT_EQ(option("convoy keras --optimizer LARS --base_learning_rate 4 --label_smoothing 0",
                   "label-smoothing"),
            "0");
  EXPECT_EQ(option("convoy keras resnet_ctl_imagenet_main --optimizer LARS", "lr"), "(none)");
}

TEST(DialectPlan, ModelsOfKerasApplicationsHaveNoDecay) {
  const std::string command = "convoy keras --keras_applications_model ResNet50V2";
  EXPECT_EQ(option(command, "model"), "keras_resnet50v2");
  EXPECT_EQ(option(command, "weight-decay"), "0");
  EXPECT_EQ(option(command + " --single_l2_loss_op", "single-l2-loss-op"), "true");
}

TEST(DialectPlan, SeveralWorkersNeedTheOptionThatJoinsThem) {
  for (const char* command :
       {"convoy keras --num_workers_per_hls 2", "convoy resnext", "convoy ssd"}) {
    Variables variables;
    if (std::string(command).find("hls") == std::string::npos)
      variables["OMPI_COMM_WORLD_SIZE"] = "2";
    expect_raises(Fault::usage, {"2 workers", "--use_horovod"},
                  [&] { explained(command, variables); });
  }
  expect_raises(Fault::usage, {"--use_horovod exclude each other"},
                [] { explained("convoy keras --use_horovod -ds hpu"); });
  expect_raises(Fault::usage, {"needs preloading"},
                [] { explained("convoy keras -ds hpu --experimental_preloading=False"); });
}

TEST(DialectPlan, WhatConvoyLacksIsRefusedByItsName) {
  expect_raises(Fault::usage, {"--proxy-norm", "no proxy norm"},
                [] { explained("convoy cnns --dataset imagenet --proxy-norm"); });
  expect_raises(Fault::usage, {"--static"}, [] { explained("convoy ssd --static"); });
  expect_raises(Fault::usage, {"--weights", "nothing is downloaded"},
                [] { explained("convoy torchvision --weights IMAGENET1K_V2"); });
}

TEST(DialectPlan, TheDatasetOfGraphcoreFollowsFromTheFolder) {
  EXPECT_EQ(option("convoy cnns --data-dir /x/cifar-100-binary", "model"),
            "graphcore_cifar_resnet20");
  EXPECT_EQ(option("convoy cnns --data-dir /x/cifar-100-binary", "dataset"), "cifar-100");
  EXPECT_EQ(option("convoy cnns", "dataset", {{"DATA_DIR", "/x/imagenet-data"}}), "imagenet");
  expect_raises(Fault::usage, {"which dataset?"}, [] { explained("convoy cnns --data-dir /x"); });
}

TEST(DialectPlan, ChecksOfGraphcoreAreKept) {
  expect_raises(Fault::usage, {"--shards", "needs --pipeline"},
                [] { explained("convoy cnns --dataset imagenet --shards 2"); });
  expect_raises(Fault::usage, {"--epochs-per-ckpt", "exclude each other"}, [] {
    explained("convoy cnns --dataset imagenet --epochs-per-ckpt 2 --ckpts-per-epoch 2");
  });
  expect_raises(Fault::usage, {"two for each of 2 shards"}, [] {
    explained(
        "convoy cnns --dataset imagenet --shards 2 --pipeline --pipeline-splits b1/0/relu "
        "--available-memory-proportion 0.1 0.2 0.3");
  });
  expect_raises(Fault::usage, {"--batches-per-step 1"},
                [] { explained("convoy cnns --dataset imagenet --distributed"); });
  expect_raises(Fault::usage, {"resnet has no such size", "50"},
                [] { explained("convoy cnns --dataset imagenet --model-size 51"); });
  expect_raises(
      Fault::usage,
      {"no configuration mk2_resnet50_mlperf_pod17", "nearest: mk2_resnet50_mlperf_pod16"},
      [] { explained("convoy cnns --config mk2_resnet50_mlperf_pod17"); });
}

TEST(DialectPlan, SetReachesTrainAndLaunch) {
  const std::string command = "convoy keras --use_horovod --num_workers_per_hls 8 --optimizer LARS";
  const auto json = explained(
      command + " --set num-instances=2 --set replicas=2 --set batch-size=4 --set max-steps=3");
  EXPECT_EQ(json["ranks"], 2);
  EXPECT_EQ(json["global_batch"], 8);
  EXPECT_EQ(json["total_steps"], 3);
  expect_raises(Fault::usage, {"--set bathc-size=4", "nearest: batch-size"},
                [&] { explained(command + " --set bathc-size=4"); });
}

TEST(DialectPlan, FoldersAreThoseOfTheStacks) {
  EXPECT_EQ(option("convoy keras", "data-dir"), "/data/tensorflow_datasets/imagenet/tf_records/");
  EXPECT_EQ(option("convoy keras", "data-dir", {{"IMAGENET_HOME", "/i"}}), "/i/tf_records");
  EXPECT_EQ(option("convoy keras -dd /d", "data-dir", {{"IMAGENET_HOME", "/i"}}), "/d");
  EXPECT_EQ(option("convoy keras", "output"), "/tmp");
  EXPECT_EQ(option("convoy keras", "name"), "resnet");
  EXPECT_EQ(option("convoy resnext", "data-dir"), "/data/tensorflow/imagenet/tf_records/");
  EXPECT_EQ(option("convoy ssd -f --model_dir a/b/", "name"), "b");
  EXPECT_EQ(option("convoy cnns --dataset cifar-10 --logs-path logs/x", "output"), "logs");
  EXPECT_EQ(option("convoy cnns --dataset cifar-10", "output"), "./logs/");
}

TEST(DialectPlan, RunsOfGraphcoreHaveItsNames) {
  EXPECT_EQ(option("convoy cnns --config mk2_resnet50_mlperf_pod16_bs20", "name"),
            "RN50_bs20x16rx6p_BN_16.16");
  EXPECT_EQ(
      option(
          "convoy cnns --dataset cifar-10 --model-size 20 --no-stochastic-rounding --name-suffix a",
          "name"),
      "RN20_bs32_BN_16.16_noSR_a");
  EXPECT_EQ(option("convoy cnns --dataset imagenet", "name"), "RN18_bs4_GN32_16.16");
}

TEST(DialectPlan, VariablesAreToldWithWhatTheyAre) {
  const Variables variables{{"HCCL_OVER_TCP", "1"},
                            {"TF_DISABLE_SCOPED_ALLOCATOR", "1"},
                            {"LD_PRELOAD", "libjemalloc.so.2"}};
  const auto json = explained("convoy resnext", variables);
  for (const auto& [name, value] : variables) EXPECT_EQ(json["options"][name]["value"], value);
  EXPECT_EQ(json["recorded_only"], nlohmann::ordered_json({"HCCL_OVER_TCP", "LD_PRELOAD"}));
  const auto forwarded = translated("convoy keras", {{"GC_KERNEL_PATH", "/k"}}).plan->forwarded;
  EXPECT_EQ(forwarded, std::vector<std::string>{"GC_KERNEL_PATH"});
  expect_raises(Fault::usage, {"WORLD_SIZE", "no number"}, [] {
    explained("convoy torchvision", {{"WORLD_SIZE", "x"}});
  });
}

TEST(DialectPlan, TheHclFileNamesTheWorkers) {
  const std::string command = "convoy keras --use_horovod --num_workers_per_hls 2";
  Variables variables{{"HABANA_HCCL_COMM_API", "0"}, {"HCL_CONFIG_PATH", "/x/hcl.json"}};
  const auto one = nlohmann::json::parse(translated(command, variables).plan->hcl_json);
  EXPECT_EQ(one, nlohmann::json({{"HCL_PORT", 53432}, {"HCL_COUNT", 2}}));
  variables["MULTI_HLS_IPS"] = "a,b";
  variables["HCL_PORT"] = "5000";
  const TranslatedCommand two = translated(command, variables);
  EXPECT_EQ(nlohmann::json::parse(two.plan->hcl_json),
            nlohmann::json({{"HCL_PORT", 5000}, {"HCL_RANKS", {"a", "a", "b", "b"}}}));
  EXPECT_EQ(two.plan->hcl_path, "/x/hcl.json");
  EXPECT_EQ(translated(command).plan->hcl_json, "");
}

TEST(DialectPlan, PreloadingCanBeSwitchedOff) {
  EXPECT_EQ(option("convoy keras", "prefetch"), "(none)");
  EXPECT_EQ(option("convoy keras --experimental_preloading=False", "prefetch"), "1");
}

TEST(DialectPlan, SeedsAndLoadersOfHabanaAct) {
  const std::string command =
      "convoy keras --shuffle_seed 3 --sample_distorted_bounding_box_seed 4 "
      "--random_flip_left_right_seed 5 "
      "--datasets_num_private_threads 2";
  EXPECT_EQ(option(command, "shuffle-seed"), "3");
  EXPECT_EQ(option(command, "crop-seed"), "4");
  EXPECT_EQ(option(command, "augment-seed"), "5");
  EXPECT_EQ(option(command, "workers"), "2");
}

TEST(DialectPlan, ImagesMayBeWiderThanTheNetworkButNotNarrower) {
  EXPECT_EQ(option("convoy resnext -dt bf16 -dlit fp32", "data-loader-image-type"), "fp32");
  expect_raises(Fault::usage, {"images of bf16 are for networks in bf16"},
                [] { explained("convoy keras -dlit bf16"); });
  expect_raises(Fault::usage, {"--loss_scale"},
                [] { explained("convoy keras -dt fp16 -ls much"); });
  EXPECT_EQ(option("convoy keras -dt fp16", "loss-scale"), "128");
  EXPECT_EQ(option("convoy keras -dt fp16 -ls dynamic", "loss-scale"), "dynamic");
}

TEST(DialectPlan, ResNetsOfTheEstimator) {
  EXPECT_EQ(option("convoy resnext", "model"), "habana_resnext101");
  EXPECT_EQ(option("convoy resnext --model_type resnet -rs 34 -rv 2", "model"),
            "habana_resnet34_v2");
  EXPECT_EQ(option("convoy resnext --nouse_cosine_lr", "lr-schedule"), "piecewise");
  EXPECT_EQ(option("convoy resnext -st 0.759", "stop-at"), "75.9");
  EXPECT_EQ(option("convoy resnext -mes 10 -bs 64", "eval-samples"), "640");
  EXPECT_EQ(option("convoy resnext --fine_tune", "freeze"), "all-but-head");
  EXPECT_EQ(explained("convoy resnext -bs 256 -te 9 -ebe 3 --return_before_eval")["total_steps"],
            15013);
}

TEST(DialectPlan, PoliciesAndRatesOfTorchvision) {
  EXPECT_EQ(option("convoy torchvision --auto-augment ra --ra-magnitude 5", "ra-magnitude"), "5");
  EXPECT_EQ(option("convoy torchvision --opt sgd_nesterov", "nesterov"), "true");
  EXPECT_EQ(option("convoy torchvision --model-ema", "ema-steps"), "32");
  EXPECT_EQ(option("convoy torchvision", "lr-schedule"), "custom_lr");
  EXPECT_EQ(option("convoy torchvision --lr-scheduler cosineannealinglr --lr-min 0.01", "min-lr"),
            "0.01");
  EXPECT_EQ(option("convoy torchvision", "checkpoint-epochs"), "0");
  EXPECT_EQ(option("convoy torchvision --save-checkpoint", "checkpoint-epochs"), "1");
}

TEST(DialectPlan, StepsOfAnEpochAreCapped) {
  const auto json = explained("convoy keras --train_steps 100 -te 3");
  EXPECT_EQ(json["steps_per_epoch"], 100);
  EXPECT_EQ(json["total_steps"], 300);
  EXPECT_EQ(explained("convoy keras --train_steps 100000")["steps_per_epoch"], 5004);
}

TEST(DialectPlan, ReplicasAreThoseOfPoprun) {
  const std::string run =
      "convoy poprun --num-instances 2 --num-replicas 4 train.py --dataset cifar-10";
  EXPECT_EQ(explained(run)["replicas"], 4);
  const auto json = explained(run + " --replicas 8");
  EXPECT_EQ(json["replicas"], 4);
  EXPECT_NE(json["notes"].dump().find("overwritten"), std::string::npos);
}

TEST(DialectPlan, ThePythonInFrontOfAProgramIsLeftOut) {
  for (const char* front : {"python3 -u ", "/usr/bin/python3.10 ", "'$PYTHON' ", ""}) {
    const std::string command = fmt::format("convoy keras {}a/b/demo_resnet_keras.py -bs 8", front);
    EXPECT_EQ(option(command, "batch-size"), "8") << command;
  }
  expect_raises(Fault::usage, {"other.py is none of its programs", "resnet_ctl_imagenet_main"},
                [] { translated("convoy keras other.py -bs 8"); });
}

TEST(DialectPlan, OtherVerbsOfTheStacks) {
  EXPECT_EQ(translated("convoy ssd --inference cat.jpg").plan->verb, "predict");
  EXPECT_EQ(translated("convoy resnext --eval_only").plan->verb, "eval");
  EXPECT_EQ(translated("convoy torchvision --test-only --resume runs/a").plan->verb, "eval");
  EXPECT_EQ(translated("convoy torchvision --resume runs/a").plan->verb, "resume");
  EXPECT_EQ(translated("convoy cnns --dataset imagenet --compile-only").plan->verb, "plan");
  EXPECT_EQ(translated("convoy cnns weight_avg --restore-path a --filename m -N 5 --mode mean")
                .plan->options.at("count")
                .text,
            "5");
}

}  // namespace
}  // namespace convoy::test
