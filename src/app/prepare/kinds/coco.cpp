// `prepare coco`: COCO as record files, as the recipes of SSD have them.
#include <nlohmann/json.hpp>
#include <optional>

#include "app/prepare/coco_shards.h"
#include "app/prepare/write_and_tell.h"
#include "base/show.h"
#include "base/text/text.h"
#include "data/coco/coco_layout.h"
#include "data/coco/coco_split.h"
#include "data/sources/data_file.h"
#include "data/sources/data_folder.h"

namespace convoy {
namespace {

struct Options {
  int train_shards = 0, validation_shards = 0;

  void describe(Fields& field) {
    field.section("Of `prepare coco`");
    field("train-shards", train_shards, "files of the training set; 0: 256", between(0, 99999));
    field("validation-shards", validation_shards, "files of the validation set; 0: 32",
          between(0, 99999));
  }
  int shards(bool train) const {
    return train ? (train_shards ? train_shards : 256)
                 : (validation_shards ? validation_shards : 32);
  }
};

// The annotations of a split; nothing if the input has none.
std::optional<BoxedSplit> coco_split(const std::string& input, bool train) {
  if (coco_annotation_files(input, split_name(train)).empty()) return std::nullopt;
  const CocoFiles files = find_coco(input, split_name(train));
  BoxedSplit split = read_coco_split(files.annotations, files.pictures);
  const std::string unusable = split.unusable();
  const auto count = static_cast<long long>(split.pictures.size());
  show("{}: {} pictures, {} with boxes{}; {}\n", files.annotations.string(), with_commas(count),
       with_commas(count - split.bare()), train ? ", the others are left out" : "",
       unusable.empty() ? "all boxes are usable" : "left out besides: " + unusable);
  std::fflush(stdout);
  return split;
}

// Evaluation compares with the annotations of the validation set: records lack the unusable ones.
void copy_annotations(const PrepareOptions& options) {
  const fs::path from = find_coco(options.input, SplitName::val).annotations;
  const fs::path folder = fs::path(options.output) / "raw-data" / "annotations";
  make_folders(folder, Fault::usage);
  const std::string content = read_file(from, Fault::data);
  const fs::path to = folder / from.filename();
  if (is_there(to) && hash_bytes(read_file(to, Fault::data)) == hash_bytes(content)) return;
  write_atomically(to, content, Fault::usage);
}

int run(const PrepareSite& site) {
  const auto options = site.own.read<Options>();
  const std::string& input = site.options.input;
  expect_folder(input);
  const std::optional<BoxedSplit> splits[] = {coco_split(input, true), coco_split(input, false)};
  if (!splits[0] && !splits[1]) find_coco(input, SplitName::train);  // reports what is missing
  const auto fingerprint_of = [](const std::optional<BoxedSplit>& split) {
    return split ? fingerprint(*split) : "";
  };
  nlohmann::ordered_json what{{"kind", "coco"},
                              {"train", fingerprint_of(splits[0])},
                              {"val", fingerprint_of(splits[1])},
                              {"train_shards", options.shards(true)},
                              {"validation_shards", options.shards(false)}};
  Journal journal(site.options.output, std::move(what), site.command);
  tell_resumed(journal, site);
  BadPictures bad(site.options.max_bad);
  nlohmann::ordered_json result;
  int64_t left_out = 0;
  for (const bool train : {true, false}) {
    const std::optional<BoxedSplit>& split = splits[train ? 0 : 1];
    if (!split) continue;
    const ShardsSpec spec{.folder = site.options.output,
                          .prefix = train ? "train" : "val",
                          .ending = ".tfrecord",
                          .shards = options.shards(train)};
    const CocoShards records(*split, spec.shards, train);
    left_out += write_and_tell(records, spec, site.pool, bad, result);
  }
  if (splits[1]) copy_annotations(site.options);
  check_left_out(left_out, site);
  journal.finish(result);
  return 0;
}

bool reads(const std::string& name, const OptionTexts&) { return is_coco_name(name); }

}  // namespace

PrepareKind coco_prepare() {
  return {
      .name = "coco",
      .details =
          R"(prepare coco       TFRecords of pictures with boxes, as the recipes of SSD have them:
                   train-00000-of-00256.tfrecord ... and val-00000-of-00032.tfrecord ..., and
                   raw-data/annotations/ with the annotations of the validation set. The input
                   has annotations/instances_train2017.json, train2017, and the same of val2017.
                   Boxes of no size or beyond their picture are left out, and training pictures
                   without a box. Segmentations are not written.
)",
      .describe = describe_options<Options>,
      .reads = reads,
      .run = run};
}

}  // namespace convoy
