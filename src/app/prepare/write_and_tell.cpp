#include "app/prepare/write_and_tell.h"

#include <nlohmann/json.hpp>

#include "base/error.h"
#include "base/show.h"
#include "base/text/text.h"

namespace convoy {

using Json = nlohmann::ordered_json;

void tell_resumed(const Journal& journal, const PrepareSite& site) {
  if (journal.resumed()) show("going on in {}\n", site.options.output);
  std::fflush(stdout);
}

int64_t write_and_tell(const ShardRecords& records, const ShardsSpec& spec, ThreadPool& pool,
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

void check_left_out(int64_t left_out, const PrepareSite& site) {
  if (left_out <= site.options.max_bad) return;
  raise(Fault::data,
        "{} lacks {} pictures that an earlier run left out, more than --max-bad {}; try: --max-bad "
        "{}, or another --output",
        site.options.output, left_out, site.options.max_bad, left_out);
}

void write_and_tell(const std::vector<FileToWrite>& files, Json what, TreeMode mode,
                    const PrepareSite& site) {
  const std::string& output = site.options.output;
  Journal journal(output, std::move(what), site.command);
  tell_resumed(journal, site);
  BadPictures bad(site.options.max_bad);
  const TreeResult wrote = write_tree(files, output, mode, journal.was_finished(), site.pool, bad);
  journal.finish({{"files", wrote.files}, {"left_out", wrote.left_out}, {"bytes", wrote.bytes}});
  // Copied files are not decoded, so truncated pictures stay truncated.
  const std::string checked =
      mode == TreeMode::pack
          ? std::string("all read again and sound")
          : fmt::format("all read again, the bytes as they were (`convoy check {}` decodes them)",
                        output);
  show("{}: {} files, {}{}; {} were written now, {} left out; {}\n", output,
       with_commas(wrote.files), human_bytes(static_cast<double>(wrote.bytes)),
       mode == TreeMode::pack
           ? fmt::format(", before {}", human_bytes(static_cast<double>(wrote.bytes_before)))
           : std::string(),
       with_commas(wrote.made), wrote.left_out, checked);
}

}  // namespace convoy
