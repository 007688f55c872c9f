// `convoy check`: finds problems of the pictures in a folder before training does.

#include <optional>

#include "app/check/check_boxes.h"
#include "app/check/check_records.h"
#include "app/check/check_report.h"
#include "app/command.h"
#include "app/options.h"
#include "app/progress.h"
#include "base/error.h"
#include "base/show.h"
#include "base/threads/cores.h"
#include "data/coco/coco_records.h"

namespace convoy {
namespace {

struct Options {
  bool json = false;
  std::string manifest;
  int threads = 0;

  void describe(Fields& field) {
    field("json", json, "print one JSON object with everything that was found");
    field("manifest", manifest,
          "write a line for each file here: path, bytes, XXH3-64 of the bytes, width, height, "
          "components, label");
    field("threads", threads, "threads that decode; 0: one for each core. Changes no result",
          between(0, 1024));
  }
};

// The folder is the user's data: never write there.
void refuse_inside(const fs::path& file, const fs::path& folder) {
  std::error_code ignored;
  const fs::path inside =
      fs::weakly_canonical(file, ignored).lexically_relative(fs::canonical(folder, ignored));
  if (!inside.empty() && *inside.begin() != "..") {
    raise(Fault::usage, "--manifest {} is in the folder that is checked; try: a file elsewhere",
          file.string());
  }
}

// The format of a set with boxes; null: the folder has none, or records.
const BoxFormat* format_of(const fs::path& folder) {
  if (has_coco_records(folder, true) || has_coco_records(folder, false)) return nullptr;
  return recognise_boxes(folder);
}

int run(const CommandLine& line) {
  need_words(line, {"DIR"});
  const auto options = read_own<Options>(line);
  const std::string& folder = line.words[0];
  const int threads = options.threads ? options.threads : available_cores();
  std::optional<BoxCheck> boxes;
  if (const BoxFormat* format = format_of(folder)) boxes.emplace(*format, folder, threads);
  Tree listed = boxes ? Tree() : list_tree(folder);
  if (!boxes) list_records(listed, threads);
  const Tree& tree = boxes ? boxes->tree() : listed;
  if (!boxes && tree.files.empty() && tree.classes.empty()) {
    raise(Fault::data,
          "{} is empty; try: the folder that holds train and val, or the folders of the classes",
          folder);
  }
  if (!options.manifest.empty()) refuse_inside(options.manifest, folder);

  std::vector<CheckedFile> files;
  {
    ProgressLine progress("checking");
    const auto total = static_cast<int64_t>(tree.files.size());
    files = check_files(tree, threads, [&](int64_t done) { progress.at(done, total); });
  }
  Findings findings = find_out(tree, files);
  if (boxes) boxes->add_to(findings, files);
  if (!options.manifest.empty()) {
    write_atomically(options.manifest, manifest_text(files), Fault::usage);
  }
  show_text(options.json ? findings_json(findings, folder) : findings_text(findings, folder));
  return findings.anything_wrong() ? static_cast<int>(Fault::data) : 0;
}

}  // namespace

CommandDef check_command() {
  return {.name = "check",
          .summary = "look for trouble in a folder of pictures",
          .usage = "check DIR [options]",
          .details =
              R"(Decodes every picture below DIR and tells what a training would stumble over.
Folders train, val, validation and test are splits, the folders in them classes;
without splits, the folders of DIR are classes. TFRecords (train-00000-of-01024 ...)
are read through, each record counting as a file. Nothing in DIR is changed.

Wrong (exit code 3): files that are broken or cut off, links that lead in a circle,
classes without a picture, classes that only one of train and val has, pictures that
are in two splits (by bytes, or by pixels where they were saved anew). Worth knowing
(exit code 0): pictures that are in one split twice, names that lie about the format,
files that are no pictures, pictures outside of class folders, remarks of the decoder,
bytes behind the end of a picture, sides below 32 pixels, cameras held sideways
(EXIF), CMYK, 16 bits, greyscale.

  convoy check data/pets
  convoy check data/pets --manifest pets.tsv
  convoy check data/pets --json | jq '.findings.broken[].file'
)",
          .describe = describe_options<Options>,
          .run = run};
}

}  // namespace convoy
