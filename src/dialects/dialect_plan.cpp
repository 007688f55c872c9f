#include "dialects/dialect_plan.h"

#include <algorithm>
#include <filesystem>

#include "base/error.h"
#include "base/show.h"
#include "base/text/text.h"
#include "config/value.h"
#include "dialects/value_kind.h"

namespace convoy {
namespace {

std::string first_name(const DialectRow& row) { return spellings(row).front(); }

bool is_key(std::string_view word) {
  return word.starts_with("--") &&
         word.find_first_not_of("abcdefghijklmnopqrstuvwxyzABN-") == word.npos;
}

// "--key a --other b": pairs of keys and values. Empty: the text is for people.
std::vector<std::pair<std::string, std::string>> emissions(std::string_view meaning) {
  const std::vector<std::string> words = split_at_blanks(meaning);
  std::vector<std::pair<std::string, std::string>> pairs;
  if (words.size() % 2 != 0) return {};
  for (size_t i = 0; i < words.size(); i += 2) {
    if (!is_key(words[i]) || words[i + 1].starts_with("--")) return {};
    pairs.emplace_back(words[i].substr(2), words[i + 1]);
  }
  return pairs;
}

bool is_emission(std::string_view meaning) { return !emissions(meaning).empty(); }

}  // namespace

DialectPlan::DialectPlan(const Dialect& of, const DialectProgram& which, DialectArguments arguments,
                         DialectEnvironment environment, DialectProcesses processes)
    : dialect(of),
      program(which),
      arguments_(std::move(arguments)),
      environment_(std::move(environment)),
      processes_(std::move(processes)) {}

const DialectRow& DialectPlan::row(std::string_view name) const {
  const DialectRow* found = find_row(program, name);
  expect(found != nullptr, fmt::format("the dialect {} has no option {}", dialect.name, name));
  return *found;
}

const DialectValue* DialectPlan::value_of(const DialectRow& row) const {
  const auto found = arguments_.values.find(first_name(row));
  return found == arguments_.values.end() ? nullptr : &found->second;
}

std::string DialectPlan::text(std::string_view name) const {
  const DialectRow& of = row(name);
  const DialectValue* value = value_of(of);
  return value ? value->text : canonical_value(of.values, of.fallback);
}

bool DialectPlan::on(std::string_view name) const { return text(name) == "true"; }

int64_t DialectPlan::count(std::string_view name) const {
  int64_t value = 0;
  expect(parse_value(text(name), value).empty(), fmt::format("{} is no count", name));
  return value;
}

double DialectPlan::number(std::string_view name) const {
  double value = 0;
  expect(parse_value(text(name), value).empty(), fmt::format("{} is no number", name));
  return value;
}

std::vector<std::string> DialectPlan::list(std::string_view name) const {
  const std::string all = text(name);
  return all.empty() ? std::vector<std::string>{} : split(all, ',');
}

bool DialectPlan::has(std::string_view name) const { return !text(name).empty(); }

bool DialectPlan::given(std::string_view name) const { return value_of(row(name)) != nullptr; }

void DialectPlan::fill(std::string_view name, std::string_view value, std::string_view origin) {
  const DialectRow& of = row(name);
  if (value_of(of)) return;
  const std::string where = fmt::format("{}: {}", origin, first_name(of));
  arguments_.values[first_name(of)] = {checked_value(of, value, where), std::string(origin)};
}

std::string DialectPlan::variable(const char* name) const {
  const char* value = environment_(name);
  return value ? value : "";
}

bool DialectPlan::variable_on(const char* name) const {
  return canonical_value("bool", variable(name)) == "true";
}

void DialectPlan::set(std::string_view key, std::string_view value) {
  options[dashed(key)] = {std::string(value), fmt::format("convoy {}", dialect.name)};
}

void DialectPlan::set(std::string_view key, double value) { set(key, format_value(value)); }

void DialectPlan::set_typed(std::string_view key, std::string_view value) {
  options[dashed(key)] = {std::string(value), "command line"};
}

void DialectPlan::drop(std::string_view key) { options.erase(dashed(key)); }

void DialectPlan::launch(std::string_view key, std::string_view value) {
  launch_options[dashed(key)] = {std::string(value), "command line"};
}

void DialectPlan::use_generated(int64_t samples) {
  drop("data-dir");
  set_typed("dataset", "generated");
  set("generated-samples", std::to_string(samples));
}

void DialectPlan::use_folder(const std::string& folder) {
  model_dir = std::filesystem::path(folder).lexically_normal().string();
  while (model_dir.size() > 1 && model_dir.ends_with('/')) model_dir.pop_back();
  const std::filesystem::path path(model_dir);
  set("output", path.has_parent_path() ? path.parent_path().string() : ".");
  set("name", path.filename().string());
}

void DialectPlan::explain(std::string_view name, std::string what) {
  explained_[first_name(row(name))] = std::move(what);
}

void DialectPlan::need_parallel(bool is_met, std::string_view ways) const {
  if (processes_.ranks == 1 || is_met) return;
  raise(Fault::usage,
        "convoy {} ({}): {} workers, but without {} each would train by itself; try: {}",
        dialect.name, program.name, processes_.ranks, ways, ways);
}

void DialectPlan::refuse(std::string_view name, std::string_view why) const {
  raise(Fault::usage, "convoy {} ({}): --{} {}: {}", dialect.name, program.name,
        first_name(row(name)), one_line(text(name)), why);
}

void DialectPlan::emit(std::string_view meaning, const std::string& value) {
  for (const auto& [key, pattern] : emissions(meaning)) {
    std::string filled = pattern;
    if (const size_t at = filled.find("{}"); at != filled.npos) filled.replace(at, 2, value);
    set(key, filled);
  }
}

void DialectPlan::apply(const DialectRow& of) {
  const std::string name = first_name(of), value = text(name);
  if (of.meaning.starts_with('!')) {
    if (given(name) && value != canonical_value(of.values, of.fallback)) {
      refuse(name, of.meaning.substr(1));
    }
    return;
  }
  if (!is_emission(of.meaning) || value.empty()) return;
  const bool has_place = of.meaning.find("{}") != of.meaning.npos;
  if (has_place || value == "true") emit(of.meaning, value);
}

void DialectPlan::apply_variables() {
  for (const DialectVariable& each : program.variables) {
    const std::string value = variable(std::string(each.name).c_str());
    if (value.empty()) continue;
    const std::string problem = value_problem(each.values, value);
    if (!problem.empty()) {
      raise(Fault::usage, "environment variable {} \"{}\" {}; try: {}", each.name, one_line(value),
            problem, told_kind(each.values));
    }
    fates.push_back(
        {std::string(each.name), value, "environment", each.kind, std::string(each.meaning), true});
    forwarded.emplace_back(each.name);
  }
}

void DialectPlan::apply_rows() {
  for (const std::span<const DialectRow> rows : program.rows) {
    for (const DialectRow& of : rows) apply(of);
  }
}

void DialectPlan::make() {
  apply_rows();
  if (program.plan) program.plan(*this);
  for (const std::span<const DialectRow> rows : program.rows) {
    for (const DialectRow& of : rows) {
      const DialectValue* value = value_of(of);
      if (!value) continue;
      const std::string name = first_name(of);
      std::string what(of.meaning);
      if (what.starts_with('!')) what = "as its default";
      if (const size_t at = what.find("{}"); at != what.npos) what.replace(at, 2, value->text);
      if (is_emission(of.meaning) && of.meaning.find("{}") == of.meaning.npos &&
          value->text != "true") {
        what = "off";
      }
      if (explained_.contains(name)) what = explained_.at(name);
      fates.push_back({name, value->text, value->origin, of.kind, what});
    }
  }
  apply_variables();
}

void DialectPlan::apply_sets(const std::vector<Field>& train, const std::vector<Field>& launchers) {
  for (const std::string& each : arguments_.set) {
    const size_t equals = each.find('=');
    const std::string key = each.substr(0, equals), value = each.substr(equals + 1);
    if (const Field* field = find_field(train, key)) {
      set_typed(field->key, value);
      if (field->key == "dataset" && value == "generated") drop("data-dir");
    } else if (const Field* other = find_field(launchers, key)) {
      if (other->key == "num-instances") launch_options.erase("num-workers-per-hls");
      launch(other->key, value);
    } else {
      std::vector<std::string> keys = convoy::spellings(train);
      for (const std::string& more : convoy::spellings(launchers)) keys.push_back(more);
      const std::string near = nearest(dashed(key), keys);
      raise(Fault::usage, "--set {}: neither train nor launch has such an option{}", one_line(each),
            near.empty() ? "" : "; nearest: " + near);
    }
    fates.push_back({"set", each, "command line", 'P', "Convoy's own option"});
  }
}

std::vector<std::string> DialectPlan::recorded_only() const {
  std::vector<std::string> names;
  for (const DialectFate& fate : fates) {
    if (fate.kind == 'H') names.push_back(fate.name);
  }
  return names;
}

}  // namespace convoy
