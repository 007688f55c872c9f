// The options that Habana's two TensorFlow programs for classification share: of the TensorFlow
// models repository, from which both were made.
#pragma once

#include <array>

#include "dialects/dialect.h"

namespace convoy {

inline constexpr std::array habana_rows{
    DialectRow{"num_gpus ng", "int", "1", 'H', "Convoy computes on the CPU"},
    DialectRow{"use_synthetic_data synth", "bool", "false", 'P',
               "generated images, --dataset generated"},
    DialectRow{"dtype dt", "fp32|bf16|fp16", "fp32", 'S',
               "the type of activations, --precision and --dtype"},
    DialectRow{"data_loader_image_type dlit", "fp32|bf16", "fp32", 'S',
               "--data-loader-image-type {}"},
    DialectRow{"loss_scale ls", "text", "", 'P', "--loss-scale; fp16's default is 128"},
    DialectRow{"all_reduce_alg ara", "ring|nccl|hierarchical_copy", "", 'P',
               "one exchange for all: shared memory in a host, pieces between hosts"},
    DialectRow{"num_packs", "int>=0", "1", 'P', "gradients travel in pieces of --bucket-mb"},
    DialectRow{"tf_gpu_thread_mode gt_mode", "text", "", 'H', "there are no device threads"},
    DialectRow{"per_gpu_thread_count pgtc", "int>=0", "0", 'H', "there are no device threads"},
    DialectRow{"datasets_num_private_threads", "int>=1", "", 'P', "--workers {}"},
    DialectRow{"tf_data_experimental_slack", "bool", "false", 'H',
               "batches are made ahead anyway, --prefetch"},
    DialectRow{"data_format df", "channels_first|channels_last", "channels_last", 'P',
               "the compiler chooses the layout of every value"},
    DialectRow{"benchmark_logger_type",
               "BaseBenchmarkLogger|BenchmarkFileLogger|BenchmarkBigQueryLogger",
               "BaseBenchmarkLogger", 'P', "metrics are in metrics.jsonl of the run's folder"},
    DialectRow{"benchmark_test_id bti", "text", "", 'P', "in migration.json"},
    DialectRow{"benchmark_log_dir bld", "path", "", 'P',
               "metrics are in metrics.jsonl of the run's folder"},
    DialectRow{"gcp_project gp", "text", "", 'H', "nothing is sent to BigQuery"},
    DialectRow{"bigquery_data_set bds", "text", "test_benchmark", 'H',
               "nothing is sent to BigQuery"},
    DialectRow{"bigquery_run_table brt", "text", "benchmark_run", 'H',
               "nothing is sent to BigQuery"},
    DialectRow{"bigquery_run_status_table brst", "text", "benchmark_run_status", 'H',
               "nothing is sent to BigQuery"},
    DialectRow{"bigquery_metric_table bmt", "text", "benchmark_metric", 'H',
               "nothing is sent to BigQuery"},
    DialectRow{"worker_hosts", "text", "", 'P',
               "!Convoy starts the workers itself; try: MULTI_HLS_IPS=host,host and "
               "--num_workers_per_hls"},
    DialectRow{"task_index", "int", "-1", 'P',
               "!a worker's number comes from mpirun; try: without it"},
    DialectRow{"experimental_preloading", "bool", "true", 'P',
               "batches are made ahead, --prefetch"},
    DialectRow{"enable_scoped_allocator", "bool", "false", 'P',
               "gradients lie in one piece of memory and travel in pieces of --bucket-mb"},
    DialectRow{"shuffle_seed", "int>=0", "", 'P', "--shuffle-seed {}"},
    DialectRow{"sample_distorted_bounding_box_seed", "int>=0", "0", 'P', "--crop-seed"},
    DialectRow{"random_flip_left_right_seed", "int>=0", "", 'P', "--augment-seed {}"},
    DialectRow{"dataset_parallel_calls", "int>=1", "", 'P',
               "--workers, at most a thread for each core"},
    DialectRow{"interleave_cycle_length", "int>=1", "10", 'P',
               "records are read in a permutation of all files, whatever this number"},
    DialectRow{"dump_config", "path", "", 'P',
               "!tensors cannot be dumped; try: --set dump=all, which prints the graph"},
    DialectRow{"use_horovod hvd", "bool", "false", 'P',
               "the workers are one run: gradients are averaged"},
};

inline constexpr std::array habana_variables{
    DialectVariable{"MULTI_HLS_IPS", "text", 'P', "the hosts of the run"},
    DialectVariable{"MPI_TCP_INCLUDE", "text", 'P', "--interface: the networks between hosts"},
    DialectVariable{"MPI_ROOT", "path", 'P', "--prefix: Open MPI on the other hosts"},
    DialectVariable{"DOCKER_SSHD_PORT", "int:1..65535", 'P', "--ssh-port"},
    DialectVariable{"IMAGENET_HOME", "path", 'P',
                    "its tf_records is the folder of the data without --data_dir"},
    DialectVariable{"HCCL_SOCKET_IFNAME", "text", 'P',
                    "the networks between hosts, where MPI_TCP_INCLUDE is not set"},
    DialectVariable{"HCCL_OVER_TCP", "bool", 'H',
                    "the exchange goes through the hosts' networks anyway"},
    DialectVariable{"HOROVOD_HIERARCHICAL_ALLREDUCE", "bool", 'P',
                    "the exchange is always two-level"},
    DialectVariable{"HCL_CONFIG_PATH", "path", 'H', "Convoy's ranks find each other by MPI"},
    DialectVariable{"HCL_PORT", "int:1..65535", 'H', "Convoy's ranks find each other by MPI"},
    DialectVariable{"HABANA_HCCL_COMM_API", "bool", 'H', "Convoy's ranks find each other by MPI"},
    DialectVariable{"HABANA_NCCL_COMM_API", "bool", 'H', "Convoy's ranks find each other by MPI"},
    DialectVariable{"TF_BF16_CONVERSION", "text", 'S', "--dtype decides"},
    DialectVariable{"TF_ENABLE_BF16_CONVERSION", "text", 'S',
                    "--dtype decides; the name is an old one of TF_BF16_CONVERSION"},
    DialectVariable{"TF_DISABLE_MKL", "bool", 'H', "there is no TensorFlow; oneDNN computes"},
    DialectVariable{"TF_ALLOW_CONTROL_EDGES_IN_HABANA_OPS", "bool", 'H', "there is no TensorFlow"},
    DialectVariable{"TF_DISABLE_SCOPED_ALLOCATOR", "bool", 'P',
                    "gradients travel in pieces of --bucket-mb"},
    DialectVariable{"TF_ENABLE_DYNAMIC_SHAPES", "bool", 'H',
                    "all shapes are known before the first step"},
    DialectVariable{"TF_RANGE_TRACE", "bool", 'H', "--profile_steps traces"},
    DialectVariable{"FORCE_HABANA_IMAGENET_LOADER_FALLBACK", "bool", 'P',
                    "pictures are decoded on the CPU anyway"},
    DialectVariable{"HBN_TF_REGISTER_DATASETOPS", "bool", 'H', "batches are made ahead anyway"},
    DialectVariable{"HABANA_SYNAPSE_LOGGER", "text", 'H', "--profile_steps traces"},
    DialectVariable{"GC_KERNEL_PATH", "path", 'H', "kernels are part of the program"},
    DialectVariable{"HABANA_LOGS", "path", 'H', "logs are in the run's folder"},
    DialectVariable{"PYTHON", "path", 'H', "there is no Python"},
    DialectVariable{"PYTHONPATH", "text", 'H', "there is no Python"},
    DialectVariable{"LD_PRELOAD", "text", 'H', "the ranks of this host inherit it"},
};

// What both programs do with these options: types, images, seeds, threads, the folder of the run.
void plan_habana(class DialectPlan& plan, const std::string& default_data_dir);

// Precision and loss scale of --dtype, as --data_loader_image_type allows.
void plan_dtype(DialectPlan& plan);

// The preprocessing of TensorFlow's ImageNet recipes: a crop with a tenth of an object, bilinear
// without antialiasing, means subtracted from 0..255, 1001 classes.
void plan_tensorflow_pictures(DialectPlan& plan, int label_offset);

}  // namespace convoy
