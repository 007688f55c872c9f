// `convoy prepare`: converts published pictures to what training reads: record files, folders of
// classes, or packed JPEGs.

#include <fmt/core.h>

#include <algorithm>
#include <nlohmann/json.hpp>
#include <optional>

#include "app/command.h"
#include "app/options.h"
#include "app/prepare/coco_shards.h"
#include "app/prepare/imagenet_shards.h"
#include "app/prepare/journal.h"
#include "app/prepare/raw_splits.h"
#include "app/prepare/write_shards.h"
#include "app/prepare/write_tree.h"
#include "base/error.h"
#include "base/files/folder.h"
#include "base/show.h"
#include "base/text/text.h"
#include "base/threads/cores.h"
#include "data/sources/data_file.h"
#include "data/sources/data_folder.h"

namespace convoy {
namespace {

using Json = nlohmann::ordered_json;

struct Options {
  std::string input, output;
  int threads = 0;
  int64_t max_bad = 0;
  int train_shards = 0, validation_shards = 0;
  std::string synsets, validation_labels;
  double val_share = 0;
  uint64_t seed = 0;
  std::string command;  // kind, input and all options that determine the result, as typed

  // The options of one kind of preparation, or of all kinds if it is empty.
  void describe(Fields& field, const std::string& kind) {
    const auto of = [&](std::string_view name) { return kind.empty() || kind == name; };
    field("input", input, "the folder of the tars or pictures", {}, {"raw-data-dir"});
    field("output", output, "the folder to fill; one that was begun is gone on with", {},
          {"local-scratch-dir"});
    field("threads", threads, "pictures at a time; 0: one for each core. Changes no result",
          between(0, 256), {"j"});
    field("max-bad", max_bad,
          "leave out up to N broken pictures; one more ends it with exit code 3", at_least(0));
    if (of("imagenet") || of("coco")) {
      field.section("Of `prepare imagenet` and `prepare coco`");
      field("train-shards", train_shards, "files of the training set; 0: 1024, of coco 256",
            between(0, 99999));
      field("validation-shards", validation_shards,
            "files of the validation set; 0: 128, of coco 32", between(0, 99999));
    }
    if (of("imagenet") || of("folder")) {
      if (kind.empty()) field.section("Of `prepare imagenet` and `prepare folder`");
      field("synsets", synsets,
            "a list of the classes, one a line; without it, those that have pictures");
      field("validation-labels", validation_labels,
            "a list of the classes of validation pictures that are in no folders of classes; "
            "without it, one of a usual name in the input");
      field("seed", seed, "start of the order of the training pictures, and of --val-share");
    }
    if (of("folder")) {
      if (kind.empty()) field.section("Of `prepare folder`");
      field("val-share", val_share,
            "share of each class that goes into val, where the input has one folder for each class",
            between(0, 0.9));
    }
    if (train_shards == 0) train_shards = kind == "coco" ? 256 : 1024;
    if (validation_shards == 0) validation_shards = kind == "coco" ? 32 : 128;
  }
};

void describe(Fields& field) { Options().describe(field, ""); }

fs::path resolved(const std::string& folder) {
  std::error_code code;
  fs::path path = fs::weakly_canonical(folder, code);
  // An empty path would count as a parent of every path.
  if (code) path = fs::absolute(folder).lexically_normal();
  return path.has_filename() ? path : path.parent_path();
}

// The output may be below the input where no input is looked for, for example ImageNet/tfrecords
// beside ImageNet/train: often only that disk has room.
void refuse_overlap(const Options& options, const std::string& kind) {
  const fs::path input = resolved(options.input), output = resolved(options.output);
  const auto begins_with = [](const fs::path& path, const fs::path& start) {
    return std::mismatch(start.begin(), start.end(), path.begin(), path.end()).first == start.end();
  };
  if (!begins_with(output, input) && !begins_with(input, output)) return;
  const bool reads_all = kind == "pack" || options.val_share > 0;
  const std::string below = output.lexically_relative(input).begin()->string();
  const bool is_read = kind == "coco" ? is_coco_name(below) : is_split_name(below);
  if (begins_with(output, input) && output != input && !reads_all && !is_read) return;
  raise(Fault::usage, "--output {} and --input {} lie in each other; try: {}", options.output,
        options.input,
        reads_all ? "another --output"
                  : fmt::format("--output {}", (fs::path(options.input) / "prepared").string()));
}

RawSplits splits_of(const Options& options, ThreadPool& pool) {
  const RawSplits splits = find_splits({.input = options.input,
                                        .synsets = options.synsets,
                                        .validation_labels = options.validation_labels,
                                        .val_share = options.val_share,
                                        .seed = options.seed},
                                       pool);
  show("{}: {} training and {} validation pictures of {} classes{}\n", options.input,
       with_commas(static_cast<long long>(splits.train.size())),
       with_commas(static_cast<long long>(splits.validation.size())), splits.classes.size(),
       splits.passed_over ? fmt::format(", {} other files passed over", splits.passed_over)
                          : std::string());
  std::fflush(stdout);
  return splits;
}

void tell_resumed(const Journal& journal, const Options& options) {
  if (journal.resumed()) show("going on in {}\n", options.output);
  std::fflush(stdout);
}

// Pictures left out by earlier runs count too.
void check_left_out(int64_t left_out, const Options& options) {
  if (left_out <= options.max_bad) return;
  raise(Fault::data,
        "{} lacks {} pictures that an earlier run left out, more than --max-bad {}; try: --max-bad "
        "{}, or another --output",
        options.output, left_out, options.max_bad, left_out);
}

// Writes the records of a split, reports them, and notes them in `result`. Returns how many
// pictures were left out.
int64_t write_split(const ShardRecords& records, const ShardsSpec& spec, ThreadPool& pool,
                    BadPictures& bad, Json& result) {
  const ShardsResult wrote = write_shards(records, spec, pool, bad);
  result[spec.prefix] = {{"records", wrote.records},
                         {"left_out", wrote.left_out},
                         {"shards", spec.shards},
                         {"bytes", wrote.bytes}};
  show(
      "{}: {} records in {} shards, {}; {} shards were made now, {} pictures encoded "
      "anew, {} left out; all read again and sound\n",
      (spec.folder / (spec.prefix + "-*")).string(), with_commas(wrote.records), spec.shards,
      human_bytes(static_cast<double>(wrote.bytes)), wrote.made, wrote.encoded_anew,
      wrote.left_out);
  std::fflush(stdout);
  return wrote.left_out;
}

int prepare_imagenet(const Options& options, ThreadPool& pool) {
  const RawSplits splits = splits_of(options, pool);
  Json what{{"kind", "imagenet"},
            {"train", fingerprint(splits.train)},
            {"validation", fingerprint(splits.validation)},
            {"classes", hash_hex(hash_bytes(join(splits.classes, "\n")))},
            {"train_shards", options.train_shards},
            {"validation_shards", options.validation_shards},
            {"seed", options.seed}};
  Journal journal(options.output, std::move(what), options.command);
  tell_resumed(journal, options);
  write_atomically(fs::path(options.output) / "synsets.txt", join(splits.classes, "\n") + "\n",
                   Fault::usage);
  BadPictures bad(options.max_bad);
  Json result;
  int64_t left_out = 0;
  for (const bool train : {true, false}) {
    const std::vector<RawPicture>& pictures = train ? splits.train : splits.validation;
    if (pictures.empty()) continue;
    const std::string name = train ? "train" : "validation";
    const ShardsSpec spec{.folder = fs::path(options.output) / name,
                          .prefix = name,
                          .shards = train ? options.train_shards : options.validation_shards};
    const ImagenetShards records(splits, pictures, spec.shards, train, options.seed);
    left_out += write_split(records, spec, pool, bad, result);
  }
  check_left_out(left_out, options);
  journal.finish(result);
  return 0;
}
// The annotations of a split; nothing if the input has none.
std::optional<CocoSplit> coco_split(const Options& options, bool train) {
  if (coco_annotation_files(options.input, train).empty()) return std::nullopt;
  const CocoFiles files = find_coco(options.input, train);
  CocoSplit split = read_coco_split(files.annotations);
  const std::string unusable = split.unusable();
  const auto count = static_cast<long long>(split.pictures.size());
  show("{}: {} pictures, {} with boxes{}; {}\n", files.annotations.string(), with_commas(count),
       with_commas(count - split.bare()), train ? ", the others are left out" : "",
       unusable.empty() ? "all boxes are usable" : "left out besides: " + unusable);
  std::fflush(stdout);
  return split;
}

// Evaluation compares with the annotations of the validation set: records lack the unusable ones.
void copy_annotations(const Options& options) {
  const fs::path from = find_coco(options.input, false).annotations;
  const fs::path folder = fs::path(options.output) / "raw-data" / "annotations";
  make_folders(folder, Fault::usage);
  const std::string content = read_file(from, Fault::data);
  const fs::path to = folder / from.filename();
  if (is_there(to) && hash_bytes(read_file(to, Fault::data)) == hash_bytes(content)) return;
  write_atomically(to, content, Fault::usage);
}

int prepare_coco(const Options& options, ThreadPool& pool) {
  expect_folder(options.input);
  const std::optional<CocoSplit> splits[] = {coco_split(options, true), coco_split(options, false)};
  if (!splits[0] && !splits[1]) find_coco(options.input, true);  // reports what is missing
  const auto fingerprint_of = [](const std::optional<CocoSplit>& split) {
    return split ? fingerprint(*split) : "";
  };
  Json what{{"kind", "coco"},
            {"train", fingerprint_of(splits[0])},
            {"val", fingerprint_of(splits[1])},
            {"train_shards", options.train_shards},
            {"validation_shards", options.validation_shards}};
  Journal journal(options.output, std::move(what), options.command);
  tell_resumed(journal, options);
  BadPictures bad(options.max_bad);
  Json result;
  int64_t left_out = 0;
  for (const bool train : {true, false}) {
    const std::optional<CocoSplit>& split = splits[train ? 0 : 1];
    if (!split) continue;
    const ShardsSpec spec{.folder = options.output,
                          .prefix = train ? "train" : "val",
                          .ending = ".tfrecord",
                          .shards = train ? options.train_shards : options.validation_shards};
    const CocoShards records(*split, find_coco(options.input, train).pictures, spec.shards, train);
    left_out += write_split(records, spec, pool, bad, result);
  }
  if (splits[1]) copy_annotations(options);
  check_left_out(left_out, options);
  journal.finish(result);
  return 0;
}

int write_files(const std::vector<FileToWrite>& files, Json what, TreeMode mode,
                const Options& options, ThreadPool& pool) {
  Journal journal(options.output, std::move(what), options.command);
  tell_resumed(journal, options);
  BadPictures bad(options.max_bad);
  const TreeResult wrote =
      write_tree(files, options.output, mode, journal.was_finished(), pool, bad);
  journal.finish({{"files", wrote.files}, {"left_out", wrote.left_out}, {"bytes", wrote.bytes}});
  // Copied files are not decoded, so truncated pictures stay truncated.
  const std::string checked = mode == TreeMode::pack
                                  ? std::string("all read again and sound")
                                  : fmt::format(
                                        "all read again, the bytes as they were (`convoy "
                                        "check {}` decodes them)",
                                        options.output);
  show("{}: {} files, {}{}; {} were written now, {} left out; {}\n", options.output,
       with_commas(wrote.files), human_bytes(static_cast<double>(wrote.bytes)),
       mode == TreeMode::pack
           ? fmt::format(", before {}", human_bytes(static_cast<double>(wrote.bytes_before)))
           : std::string(),
       with_commas(wrote.made), wrote.left_out, checked);
  return 0;
}

int prepare_folder(const Options& options, ThreadPool& pool) {
  RawSplits splits = splits_of(options, pool);
  Json what{{"kind", "folder"},
            {"train", fingerprint(splits.train)},
            {"val", fingerprint(splits.validation)}};
  std::vector<FileToWrite> files;
  for (const bool train : {true, false}) {
    for (RawPicture& picture : train ? splits.train : splits.validation) {
      std::string to =
          fmt::format("{}/{}/{}", train ? "train" : "val", picture.class_name, picture.name);
      files.push_back({.from = std::move(picture), .to = std::move(to)});
    }
  }
  return write_files(files, std::move(what), TreeMode::copy, options, pool);
}

int prepare_pack(const Options& options, ThreadPool& pool) {
  if (!is_folder(options.input)) {
    raise(Fault::data, "there is no folder {}; try: --input with a folder of pictures",
          options.input);
  }
  const std::vector<FileToWrite> files = files_to_write(options.input);
  std::vector<RawPicture> pictures;
  for (const FileToWrite& file : files) pictures.push_back(file.from);
  return write_files(files, {{"kind", "pack"}, {"files", fingerprint(pictures)}}, TreeMode::pack,
                     options, pool);
}

std::string command_of(const std::string& kind, const Fields& field) {
  std::string command = kind;
  for (const Field& option : field.all()) {
    const bool decides =
        option.key != "output" && option.key != "threads" && option.key != "max-bad";
    if (decides && field.given(option.key)) {
      command += fmt::format(" --{} {}", option.key, option.value.text);
    }
  }
  return command;
}

int run(const CommandLine& line) {
  const std::vector<Field> known = described(describe);
  need_words(line, {"imagenet|coco|folder|pack"});
  const std::string& kind = line.words[0];
  const std::vector<std::string> kinds{"imagenet", "coco", "folder", "pack"};
  if (std::ranges::find(kinds, kind) == kinds.end()) {
    const std::string near = nearest(kind, kinds);
    raise(Fault::usage, "prepare makes imagenet, coco, folder or pack, not {}{}", kind,
          near.empty() ? "; try: convoy prepare --help" : "; nearest: " + near);
  }
  Fields field(resolve(line, known));
  Options options;
  options.describe(field, kind);
  field.finish(known);
  if (options.input.empty() || options.output.empty()) {
    raise(Fault::usage, "prepare {} needs --input DIR and --output DIR; try: convoy prepare --help",
          kind);
  }
  if (kind == "folder" && options.val_share == 0 && field.given("seed"))
    raise(Fault::usage, "--seed decides nothing here without --val-share; try: --val-share 0.1");
  refuse_overlap(options, kind);
  options.command = command_of(kind, field);
  ThreadPool pool(options.threads ? options.threads : available_cores());
  if (kind == "imagenet") return prepare_imagenet(options, pool);
  if (kind == "coco") return prepare_coco(options, pool);
  if (kind == "folder") return prepare_folder(options, pool);
  return prepare_pack(options, pool);
}

}  // namespace

CommandDef prepare_command() {
  return {
      .name = "prepare",
      .summary = "turn published pictures into what training reads",
      .usage = "prepare imagenet|coco|folder|pack --input DIR --output DIR [options]",
      .details =
          R"(prepare imagenet   TFRecords, as TensorFlow's recipes have them: train/train-00000-of-01024 ...
                   and validation/validation-00000-of-00128 ..., and synsets.txt. Labels count
                   from 1 in the order of the synsets' names. Training pictures are shuffled
                   by --seed (a permutation of our own, not numpy's), validation pictures
                   sorted by name. CMYK, PNG, BMP, TIFF and WebP become RGB JPEGs of
                   quality 100.
prepare coco       TFRecords of pictures with boxes, as the recipes of SSD have them:
                   train-00000-of-00256.tfrecord ... and val-00000-of-00032.tfrecord ..., and
                   raw-data/annotations/ with the annotations of the validation set. The input
                   has annotations/instances_train2017.json, train2017, and the same of val2017.
                   Boxes of no size or beyond their picture are left out, and training pictures
                   without a box. Segmentations are not written.
prepare folder     train/CLASS/... and val/CLASS/..., as torchvision reads them.
prepare pack       the same tree of files with each JPEG rewritten without loss, so that
                   training decodes only the part that a crop needs. Pictures of other
                   formats, and other files, are copied.

The input of imagenet and folder has ILSVRC2012_img_train.tar or the folder train (or img_train)
with a folder for each class; and ILSVRC2012_img_val.tar or the folder val (validation,
img_val), with folders of classes or with a list of labels beside it. Tars are read where
they lie, nothing is unpacked. One split alone will do.

A run that was killed is gone on with by the same command and gives the same bytes. At the
end everything is read again. Headers of pictures are checked on the way; `convoy check`
decodes them all.

  convoy prepare imagenet --input downloads --output imagenet
  convoy prepare imagenet --input raw --output small --train-shards 8 --validation-shards 2
  convoy prepare coco --input coco --output coco/ssd_tf_records
  convoy prepare folder --input downloads --output imagenet-folder --max-bad 10
  convoy prepare folder --input flowers --output flowers-split --val-share 0.1
  convoy prepare pack --input imagenet-folder --output imagenet-packed
)",
      .words = "imagenet coco folder pack",
      .basics =
          "input output threads max-bad train-shards validation-shards synsets "
          "validation-labels seed val-share",
      .describe = describe,
      .run = run};
}

}  // namespace convoy
