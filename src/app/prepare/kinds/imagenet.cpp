// `prepare imagenet`: published pictures as record files, as TensorFlow's recipes have them.
#include <nlohmann/json.hpp>

#include "app/prepare/imagenet_shards.h"
#include "app/prepare/raw_inputs.h"
#include "app/prepare/write_and_tell.h"
#include "base/text/text.h"

namespace convoy {
namespace {

struct Options {
  RawInputOptions input;
  int train_shards = 0, validation_shards = 0;

  void describe(Fields& field) {
    field.section("Of `prepare imagenet`");
    field("train-shards", train_shards, "files of the training set; 0: 1024", between(0, 99999));
    field("validation-shards", validation_shards, "files of the validation set; 0: 128",
          between(0, 99999));
    input.describe(field);
  }
  int shards(bool train) const {
    return train ? (train_shards ? train_shards : 1024)
                 : (validation_shards ? validation_shards : 128);
  }
};

int run(const PrepareSite& site) {
  const auto options = site.own.read<Options>();
  const RawSplits splits = find_and_tell(site, options.input, 0);
  const fs::path output = site.options.output;
  nlohmann::ordered_json what{{"kind", "imagenet"},
                              {"train", fingerprint(splits.train)},
                              {"validation", fingerprint(splits.validation)},
                              {"classes", hash_hex(hash_bytes(join(splits.classes, "\n")))},
                              {"train_shards", options.shards(true)},
                              {"validation_shards", options.shards(false)},
                              {"seed", options.input.seed}};
  Journal journal(output, std::move(what), site.command);
  tell_resumed(journal, site);
  write_atomically(output / "synsets.txt", join(splits.classes, "\n") + "\n", Fault::usage);
  BadPictures bad(site.options.max_bad);
  nlohmann::ordered_json result;
  int64_t left_out = 0;
  for (const bool train : {true, false}) {
    const std::vector<RawPicture>& pictures = train ? splits.train : splits.validation;
    if (pictures.empty()) continue;
    const std::string name = train ? "train" : "validation";
    const ShardsSpec spec{
        .folder = output / name, .prefix = name, .ending = "", .shards = options.shards(train)};
    const ImagenetShards records(splits, pictures, spec.shards, train, options.input.seed);
    left_out += write_and_tell(records, spec, site.pool, bad, result);
  }
  check_left_out(left_out, site);
  journal.finish(result);
  return 0;
}

bool reads(const std::string& name, const OptionTexts&) { return is_split_name(name); }

}  // namespace

PrepareKind imagenet_prepare() {
  return {
      .name = "imagenet",
      .details =
          R"(prepare imagenet   TFRecords, as TensorFlow's recipes have them: train/train-00000-of-01024 ...
                   and validation/validation-00000-of-00128 ..., and synsets.txt. Labels count
                   from 1 in the order of the synsets' names. Training pictures are shuffled
                   by --seed (a permutation of our own, not numpy's), validation pictures
                   sorted by name. CMYK, PNG, BMP, TIFF and WebP become RGB JPEGs of
                   quality 100.
)",
      .describe = describe_options<Options>,
      .reads = reads,
      .run = run};
}

}  // namespace convoy
