// `prepare folder`: published pictures as folders of classes.
#include <fmt/core.h>

#include <nlohmann/json.hpp>

#include "app/prepare/raw_inputs.h"
#include "app/prepare/write_and_tell.h"

namespace convoy {
namespace {

struct Options {
  RawInputOptions input;
  double val_share = 0;

  void describe(Fields& field) {
    field.section("Of `prepare folder`");
    input.describe(field);
    field("val-share", val_share,
          "share of each class that goes into val, where the input has one folder for each class",
          between(0, 0.9));
    field.needs("seed", val_share > 0, "--val-share", {});
  }
};

int run(const PrepareSite& site) {
  const auto options = site.own.read<Options>();
  RawSplits splits = find_and_tell(site, options.input, options.val_share);
  nlohmann::ordered_json what{{"kind", "folder"},
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
  write_and_tell(files, std::move(what), TreeMode::copy, site);
  return 0;
}

bool reads(const std::string& name, const OptionTexts& own) {
  return own.read<Options>().val_share > 0 || is_split_name(name);
}

}  // namespace

PrepareKind folder_prepare() {
  return {.name = "folder",
          .details =
              R"(prepare folder     train/CLASS/... and val/CLASS/..., as torchvision reads them.
)",
          .describe = describe_options<Options>,
          .reads = reads,
          .run = run};
}

}  // namespace convoy
