// `prepare pack`: a tree of pictures with its JPEGs rewritten, so that a part of one decodes fast.
#include <nlohmann/json.hpp>

#include "app/prepare/prepare_kind.h"
#include "app/prepare/write_and_tell.h"
#include "base/error.h"
#include "base/files/folder.h"

namespace convoy {
namespace {

int run(const PrepareSite& site) {
  if (!is_folder(site.options.input)) {
    raise(Fault::data, "there is no folder {}; try: --input with a folder of pictures",
          site.options.input);
  }
  const std::vector<FileToWrite> files = files_to_write(site.options.input);
  std::vector<RawPicture> pictures;
  for (const FileToWrite& file : files) pictures.push_back(file.from);
  write_and_tell(files, {{"kind", "pack"}, {"files", fingerprint(pictures)}}, TreeMode::pack, site);
  return 0;
}

bool reads(const std::string&, const OptionTexts&) { return true; }

}  // namespace

PrepareKind pack_prepare() {
  return {
      .name = "pack",
      .details =
          R"(prepare pack       the same tree of files with each JPEG rewritten without loss, so that
                   training decodes only the part that a crop needs. Pictures of other
                   formats, and other files, are copied.
)",
      .reads = reads,
      .run = run};
}

}  // namespace convoy
