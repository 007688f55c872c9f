// `prepare boxes`: sets of pictures with boxes, from one format to another.
#include <fmt/core.h>

#include <nlohmann/json.hpp>

#include "app/prepare/boxes/box_writers.h"
#include "app/prepare/boxes/fit_anchors.h"
#include "app/prepare/coco_shards.h"
#include "app/prepare/write_and_tell.h"
#include "base/error.h"
#include "base/text/words.h"
#include "data/sources/data_folder.h"

namespace convoy {
namespace {

enum class From { guess, coco, yolo, voc };
constexpr auto words_of(From) { return words<From>("guess", "coco", "yolo", "voc"); }
enum class To { none, coco, yolo, voc, tfrecord };
constexpr auto words_of(To) { return words<To>("none", "coco", "yolo", "voc", "tfrecord"); }
enum class Pictures { copy, link };
constexpr auto words_of(Pictures) { return words<Pictures>("copy", "link"); }

struct Options {
  From from = From::guess;
  To to = To::none;
  double val_share = 0;
  Pictures pictures = Pictures::copy;
  int train_shards = 0, validation_shards = 0;
  FitOptions fit;

  void describe(Fields& field) {
    field.section("Of `prepare boxes`");
    field("from", from, "the format of the input; guess: the one that its files have");
    field("to", to, "the format to write");
    field("val-share", val_share,
          "share of the pictures that goes into val, where the input has no splits; chosen by the "
          "names of the files alone",
          between(0, 0.9));
    field("pictures", pictures,
          "copy, or hard links to the files of the input, which take no room on the same disk");
    field("train-shards", train_shards, "with --to tfrecord: files of the training set; 0: 256",
          between(0, 99999));
    field("validation-shards", validation_shards,
          "with --to tfrecord: files of the validation set; 0: 32", between(0, 99999));
    const bool has_records = to == To::tfrecord;
    field.needs("train-shards", has_records, "--to tfrecord", {"to"});
    field.needs("validation-shards", has_records, "--to tfrecord", {"to"});
    field.needs("pictures", !has_records, "--to coco, yolo or voc", {"to"});
    fit.describe(field);
    field.needs("to", !fit.on, "no --fit-anchors, which writes a recipe", {"fit-anchors"});
  }
  int shards(SplitName split) const {
    return split == SplitName::train ? (train_shards ? train_shards : 256)
                                     : (validation_shards ? validation_shards : 32);
  }
};

const BoxFormat& format_of(const Options& options, const std::string& input) {
  expect_folder(input);
  const BoxFormat* format = options.from == From::guess ? recognise_boxes(input)
                                                        : &find_box_format(word_of(options.from));
  if (!format) {
    raise(Fault::data,
          "{} has no boxes in a known format; try: the folder of data.yaml, of the folder "
          "annotations (COCO), or of Annotations (VOC)",
          input);
  }
  if (format->splits(input).empty()) {
    raise(Fault::data, "{} has no boxes in the format {}; try: without --from", input,
          format->name);
  }
  return *format;
}

// All that determines the files but the bytes of the pictures.
nlohmann::ordered_json made_of(const BoxedSet& set, const Options& options) {
  nlohmann::ordered_json what{{"kind", "boxes"}, {"to", word_of(options.to)}};
  for (const SplitToWrite& split : set.splits) {
    what[std::string(word_of(split.split))] = fingerprint(split.read);
  }
  if (options.to != To::tfrecord) return what;
  what["train_shards"] = options.shards(SplitName::train);
  what["validation_shards"] = options.shards(SplitName::val);
  return what;
}

void write_records(const BoxedSet& set, const Options& options, const PrepareSite& site) {
  Journal journal(site.options.output, made_of(set, options), site.command);
  tell_resumed(journal, site);
  BadPictures bad(site.options.max_bad);
  nlohmann::ordered_json result;
  int64_t left_out = set.left_out;
  const fs::path annotations = fs::path(site.options.output) / "raw-data" / "annotations";
  make_folders(annotations, Fault::usage);
  for (const SplitToWrite& split : set.splits) {
    const std::string name(word_of(split.split));
    const bool train = split.split == SplitName::train;
    // Records lack the names of classes, and pictures that training leaves out.
    write_atomically(annotations / ("instances_" + name + ".json"), coco_text(split), Fault::usage);
    const ShardsSpec spec{.folder = site.options.output,
                          .prefix = name,
                          .ending = ".tfrecord",
                          .shards = options.shards(split.split)};
    const CocoShards records(split.read, spec.shards, train, &split.forms);
    left_out += write_and_tell(records, spec, site.pool, bad, result);
  }
  check_left_out(left_out, site);
  journal.finish(result);
}

int run(const PrepareSite& site) {
  const auto options = site.own.read<Options>();
  if (options.to == To::none && !options.fit.on) {
    raise(Fault::usage,
          "prepare boxes needs --to; try: --to coco|yolo|voc|tfrecord, or --fit-anchors");
  }
  const BoxFormat& from = format_of(options, site.options.input);
  if (options.fit.on) {
    RaiseBoxFaults faults;
    const BoxSelection wanted{.train = true, .held_out = "", .val_share = options.val_share};
    fit_anchors(read_boxes(from, site.options.input, wanted,
                           {.faults = faults, .threads = site.pool.size()}),
                options.fit, site.options.output);
    return 0;
  }
  const bool upright_to = options.to == To::yolo || options.to == To::voc;
  const BoxedSet set = read_boxed_set(
      site, {.from = from, .val_share = options.val_share, .upright_to = upright_to});
  if (options.to == To::tfrecord) {
    write_records(set, options, site);
    return 0;
  }
  const bool link = options.pictures == Pictures::link;
  const auto files = options.to == To::coco   ? coco_files(set, link)
                     : options.to == To::yolo ? yolo_files(set, link)
                                              : voc_files(set, link);
  write_and_tell(files, made_of(set, options), TreeMode::copy, site);
  return 0;
}

bool reads(const std::string&, const OptionTexts&) { return true; }

}  // namespace

PrepareKind boxes_prepare() {
  return {
      .name = "boxes",
      .details =
          R"(prepare boxes      pictures with boxes, from the format of COCO, YOLO or Pascal VOC to another
                   one, or to TFRecords. Classes keep their names and order. Boxes that go beyond
                   their picture are cut to it; those of no size, and exact repetitions, are left
                   out. Crowds become difficult objects in VOC, and objects like others in YOLO.
                   With --fit-anchors: default boxes that fit the objects, as a recipe.
)",
      .describe = describe_options<Options>,
      .reads = reads,
      .run = run};
}

}  // namespace convoy
