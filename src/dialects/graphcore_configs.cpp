// The options of a named configuration. They replace defaults; typed options replace them.

#include <algorithm>

#include "base/error.h"
#include "base/files/file.h"
#include "base/show.h"
#include "base/text/text.h"
#include "config/fields.h"
#include "dialects/graphcore_plan.h"
#include "dialects/named_configs.h"
#include "report/page/asset.h"

namespace convoy {
namespace {

constexpr const char* own_file = "graphcore_configs.yml";

std::vector<NamedConfig> configs_of(const std::string& path) {
  if (path.empty()) return read_named_configs(asset(own_file), own_file);
  return read_named_configs(read_file(path, Fault::usage), path);
}

// A key of the file is an option's name, or a switch that an option turns off: `validation` of
// --no-validation.
void fill_entry(DialectPlan& plan, const YamlEntry& entry, const std::string& where) {
  if (find_row(plan.program, entry.key)) return plan.fill(entry.key, entry.text, where);
  const DialectRow* no = find_row(plan.program, "no-" + entry.key);
  if (!no) {
    std::vector<std::string> names;
    for (const std::span<const DialectRow> rows : plan.program.rows) {
      for (const DialectRow& row : rows) {
        for (const std::string& name : spellings(row)) names.push_back(name);
      }
    }
    const std::string near = nearest(dashed(entry.key), names);
    raise(Fault::usage, "{}: unknown option {}{}", where, one_line(entry.key),
          near.empty() ? "" : "; nearest: " + near);
  }
  const std::string value = checked_value(*no, entry.text, where + ": " + entry.key);
  plan.fill(no->names, value == "true" ? "false" : "true", where);
}

}  // namespace

void fill_graphcore_config(DialectPlan& plan) {
  const std::string path = plan.text("config-path"), name = plan.text("config");
  if (name.empty()) {
    if (!path.empty()) plan.refuse("config-path", "and which of them? try: --config NAME");
    return;
  }
  const std::vector<NamedConfig> all = configs_of(path);
  const auto found = std::ranges::find(all, name, &NamedConfig::name);
  const std::string file = path.empty() ? "configs.yml" : path;
  if (found == all.end()) {
    std::vector<std::string> names;
    for (const NamedConfig& each : all) names.push_back(each.name);
    const std::string near = nearest(name, names);
    raise(Fault::usage, "{} has no configuration {}{}; there are: {}", file, one_line(name),
          near.empty() ? "" : "; nearest: " + near, join(names, ", "));
  }
  // The last one of a key counts.
  for (auto entry = found->entries.rbegin(); entry != found->entries.rend(); ++entry) {
    fill_entry(plan, *entry, fmt::format("{}: {}", file, name));
  }
}

}  // namespace convoy
