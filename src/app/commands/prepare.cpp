// `convoy prepare`: converts pictures to what training reads. Its kinds are the files of
// app/prepare/kinds/.

#include <fmt/core.h>

#include <algorithm>

#include "app/command.h"
#include "app/options.h"
#include "app/prepare/prepare_kind.h"
#include "base/error.h"
#include "base/files/file.h"
#include "base/text/text.h"
#include "base/threads/cores.h"

namespace convoy {

void PrepareOptions::describe(Fields& field) {
  field("input", input, "the folder of the tars or pictures", {}, {"raw-data-dir"});
  field("output", output, "the folder to fill; one that was begun is gone on with", {},
        {"local-scratch-dir"});
  field("threads", threads, "pictures at a time; 0: one for each core. Changes no result",
        between(0, 256), {"j"});
  field("max-bad", max_bad, "leave out up to N broken pictures; one more ends it with exit code 3",
        at_least(0));
}

namespace {

void describe(Fields& field) {
  PrepareOptions().describe(field);
  for (const PrepareKind& kind : prepare_catalog()) {
    if (kind.describe) kind.describe(field);
  }
}

std::vector<std::string> kind_names() {
  std::vector<std::string> names;
  for (const PrepareKind& kind : prepare_catalog()) names.emplace_back(kind.name);
  return names;
}

const PrepareKind& find_kind(const std::string& name) {
  const auto found = std::ranges::find(prepare_catalog(), name, &PrepareKind::name);
  if (found != prepare_catalog().end()) return *found;
  const std::string near = nearest(name, kind_names());
  raise(Fault::usage, "prepare makes {}, not {}{}", join(kind_names(), ", "), name,
        near.empty() ? "; try: convoy prepare --help" : "; nearest: " + near);
}

fs::path resolved(const std::string& folder) {
  std::error_code code;
  fs::path path = fs::weakly_canonical(folder, code);
  // An empty path would count as a parent of every path.
  if (code) path = fs::absolute(folder).lexically_normal();
  return path.has_filename() ? path : path.parent_path();
}

// The output may be below the input where no input is looked for, for example ImageNet/tfrecords
// beside ImageNet/train: often only that disk has room.
void refuse_overlap(const PrepareOptions& options, const PrepareKind& kind,
                    const OptionTexts& own) {
  const fs::path input = resolved(options.input), output = resolved(options.output);
  const auto begins_with = [](const fs::path& path, const fs::path& start) {
    return std::mismatch(start.begin(), start.end(), path.begin(), path.end()).first == start.end();
  };
  if (!begins_with(output, input) && !begins_with(input, output)) return;
  const std::string below = output.lexically_relative(input).begin()->string();
  if (begins_with(output, input) && output != input && !kind.reads(below, own)) return;
  const fs::path other = fs::path(options.input) / "prepared";
  raise(Fault::usage, "--output {} and --input {} lie in each other; try: {}", options.output,
        options.input,
        kind.reads("prepared", own) ? "another --output"
                                    : fmt::format("--output {}", other.string()));
}

std::string command_of(const PrepareKind& kind, const Fields& field) {
  std::string command(kind.name);
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
  need_words(line, {join(kind_names(), "|")});
  const PrepareKind& kind = find_kind(line.words[0]);
  Fields field(resolve(line, known));
  PrepareOptions options;
  options.describe(field);
  OptionTexts own;
  if (kind.describe) own.describe(field, kind.describe);
  field.finish(known);
  if (!kind.needs_input && !options.input.empty()) {
    raise(Fault::usage, "prepare {} reads no --input; try: without it", kind.name);
  }
  if (options.output.empty() || (kind.needs_input && options.input.empty())) {
    raise(Fault::usage, "prepare {} needs {}--output DIR; try: convoy prepare --help", kind.name,
          kind.needs_input ? "--input DIR and " : "");
  }
  if (kind.needs_input) refuse_overlap(options, kind, own);
  const std::string command = command_of(kind, field);
  ThreadPool pool(options.threads ? options.threads : available_cores());
  return kind.run({.options = options, .own = own, .command = command, .pool = pool});
}

constexpr std::string_view details_end =
    R"(
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
)";

// CommandDef borrows its texts.
std::string_view kept(std::string text) {
  static std::vector<std::unique_ptr<const std::string>> all;
  return *all.emplace_back(std::make_unique<const std::string>(std::move(text)));
}

}  // namespace

CommandDef prepare_command() {
  std::string details;
  for (const PrepareKind& kind : prepare_catalog()) details += kind.details;
  return {.name = "prepare",
          .summary = "turn pictures into what training reads",
          .usage = kept(fmt::format("prepare {} --input DIR --output DIR [options]",
                                    join(kind_names(), "|"))),
          .details = kept(details + std::string(details_end)),
          .words = kept(join(kind_names(), " ")),
          .basics =
              "input output threads max-bad train-shards validation-shards synsets "
              "validation-labels seed val-share",
          .describe = describe,
          .run = run};
}

}  // namespace convoy
