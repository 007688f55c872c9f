#include "config/fields.h"

#include <fmt/core.h>

#include <algorithm>
#include <type_traits>
#include <utility>

#include "base/error.h"
#include "base/show.h"
#include "base/text/text.h"
#include "config/other_stacks.h"
#include "config/value.h"

namespace convoy {
namespace {

template <class T>
constexpr std::string_view type_name() {
  if constexpr (std::is_same_v<T, bool>) return "bool";
  if constexpr (std::is_integral_v<T>) return "int";
  if constexpr (std::is_floating_point_v<T>) return "number";
  if constexpr (std::is_same_v<T, std::string>) return "text";
  if constexpr (std::is_same_v<T, std::vector<double>>) return "numbers";
  return "list";
}

bool means(const Field& field, std::string_view dashed_key) {
  return field.key == dashed_key ||
         std::ranges::find(field.aliases, dashed_key) != field.aliases.end();
}

[[noreturn]] void refuse(const Field& field, const Setting& found, std::string_view problem) {
  const bool is_flag = field.type == "bool";
  const std::string allowed = is_flag ? "true or false" : field.limits.text;
  const bool said = allowed.empty() || problem.find(allowed) != std::string_view::npos;
  raise(Fault::usage, "{} \"{}\" ({}) {}{}", field.key, one_line(found.text), found.where(),
        one_line(problem), said ? "" : "; try: " + allowed);
}

[[noreturn]] void refuse_two(std::string_view key, const Setting& a, std::string_view other,
                             const Setting& b) {
  raise(
      Fault::usage,
      "{} \"{}\" ({}) and {} \"{}\" ({}) are the same option with different values; try: only one",
      key, one_line(a.text), a.where(), other, one_line(b.text), b.where());
}

constexpr std::string_view choice_section = "With ";

// ", or --optimizer sgd" for an option that belongs to such choices.
std::string where_it_means_something(const Field& field) {
  std::string text;
  const auto add = [&](std::string_view section) {
    if (!section.starts_with(choice_section)) return;
    text += fmt::format(", or {}", section.substr(choice_section.size()));
  };
  add(field.section);
  for (const Field::Again& again : field.again) add(again.section);
  return text;
}

// The choice for a text or its synonym; the text itself if it is none.
std::string choice_meant(const Limits& limits, const std::string& text) {
  if (const auto found = limits.synonyms.find(text); found != limits.synonyms.end()) {
    return found->second;
  }
  if (!limits.any_case) return text;
  const auto same = std::ranges::find(limits.choices, small_letters(text), small_letters);
  return same == limits.choices.end() ? text : *same;
}

bool is_typed(const Setting& setting) { return setting.origin == "command line"; }

}  // namespace

std::string Setting::where() const {
  return one_line(line > 0 ? fmt::format("{}:{}", origin, line) : origin);
}

std::string dashed(std::string_view key) {
  std::string name(key);
  std::ranges::replace(name, '_', '-');
  return name;
}

Limits Limits::no_result() const {
  Limits same = *this;
  same.changes_results = false;
  return same;
}

Limits Limits::training_only() const {
  Limits same = *this;
  same.for_evaluation = false;
  return same;
}

Limits Limits::after(std::string_view key) const {
  Limits same = *this;
  same.place = key;
  return same;
}

Limits any_value() { return {}; }

Limits between(double low, double high) {
  return {.low = low, .high = high, .text = fmt::format("between {:.15g} and {:.15g}", low, high)};
}

Limits at_least(double low) { return {.low = low, .text = fmt::format("at least {:.15g}", low)}; }

Limits one_of(std::vector<std::string> choices) {
  std::string text = "one of " + join(choices, ", ");
  return {.choices = std::move(choices), .text = std::move(text)};
}

Limits one_of_any_case(std::vector<std::string> choices,
                       std::map<std::string, std::string> synonyms) {
  Limits limits = one_of(std::move(choices));
  limits.synonyms = std::move(synonyms);
  limits.any_case = true;
  return limits;
}

Limits repeated() { return {.text = "may be repeated", .repeats = true}; }

const Field* find_field(const std::vector<Field>& fields, std::string_view key) {
  const std::string name = dashed(key);
  const auto found = std::ranges::find_if(fields, [&](const Field& f) { return means(f, name); });
  return found == fields.end() ? nullptr : &*found;
}

std::vector<std::string> spellings(const std::vector<Field>& fields) {
  std::vector<std::string> all;
  for (const Field& field : fields) {
    all.push_back(field.key);
    all.insert(all.end(), field.aliases.begin(), field.aliases.end());
  }
  return all;
}

Fields::Fields(const Settings& settings) {
  for (const auto& [key, setting] : settings) {
    const auto [place, is_new] = settings_.emplace(dashed(key), setting);
    if (!is_new && place->second.text != setting.text) {
      refuse_two(place->first, place->second, key, setting);
    }
  }
}

void Fields::section(std::string_view title) { section_ = title; }

void Fields::section_with(const std::string& choice) {
  section_ = std::string(choice_section) + choice;
}

template <class T>
void Fields::operator()(std::string_view key, T& value, std::string_view help, const Limits& limits,
                        std::vector<std::string> aliases) {
  if (evaluation_only_ && !limits.for_evaluation) return;
  Field field{.section = section_,
              .key = dashed(key),
              .again = {},
              .type = std::string(type_name<T>()),
              .default_text = format_value(value),
              .help = std::string(help),
              .aliases = std::move(aliases),
              .limits = limits};
  for (std::string& alias : field.aliases) alias = dashed(alias);
  field.value = {field.default_text, "default"};
  if (const Setting* found = find_setting(field)) {
    // The default may be outside the limits ("0 = as many as there are") and can still be set.
    if (found->text != field.default_text) {
      T read{};
      std::string problem = parse_value(found->text, read);
      if constexpr (std::is_same_v<T, std::string>) read = choice_meant(limits, read);
      const bool is_limited = !found->is_default() || !limits.choices.empty();
      if (problem.empty() && is_limited) problem = broken_limit(limits, read);
      if (!problem.empty()) refuse(field, *found, problem);
      value = std::move(read);
    }
    field.value = {format_value(value), found->is_default() ? "default" : found->origin,
                   found->line};
  }
  add(std::move(field));
}

template void Fields::operator()(std::string_view, bool&, std::string_view, const Limits&,
                                 std::vector<std::string>);
template void Fields::operator()(std::string_view, int&, std::string_view, const Limits&,
                                 std::vector<std::string>);
template void Fields::operator()(std::string_view, int64_t&, std::string_view, const Limits&,
                                 std::vector<std::string>);
template void Fields::operator()(std::string_view, uint64_t&, std::string_view, const Limits&,
                                 std::vector<std::string>);
template void Fields::operator()(std::string_view, float&, std::string_view, const Limits&,
                                 std::vector<std::string>);
template void Fields::operator()(std::string_view, double&, std::string_view, const Limits&,
                                 std::vector<std::string>);
template void Fields::operator()(std::string_view, std::string&, std::string_view, const Limits&,
                                 std::vector<std::string>);
template void Fields::operator()(std::string_view, std::vector<double>&, std::string_view,
                                 const Limits&, std::vector<std::string>);
template void Fields::operator()(std::string_view, std::vector<std::string>&, std::string_view,
                                 const Limits&, std::vector<std::string>);

const Setting* Fields::find_setting(const Field& field) const {
  const auto own = settings_.find(field.key);
  auto found = own;
  for (const std::string& alias : field.aliases) {
    const auto other = settings_.find(alias);
    if (other == settings_.end()) continue;
    if (found == settings_.end()) {
      found = other;
    } else if (found->second.text != other->second.text) {
      refuse_two(found->first, found->second, alias, other->second);
    }
  }
  if (found == settings_.end() || (found->second.is_recorded_default() && has_chosen_)) {
    return nullptr;
  }
  return &found->second;
}

Limits Fields::choices_of(std::vector<std::string> words, Limits limits) {
  Limits choices = one_of(std::move(words));
  limits.choices = std::move(choices.choices);
  limits.text = std::move(choices.text);
  return limits;
}

void Fields::needs(std::string_view key, bool is_met, std::string_view with,
                   std::initializer_list<std::string_view> choosers) {
  if (is_met) return;
  const Field* field = find_field(fields_, key);
  const bool says_default = field && field->value.text == field->default_text;
  if (says_default && (field->type == "bool" || !is_typed(field->value))) return;
  if (!idle(key, choosers)) return;
  raise(Fault::usage, "{} \"{}\" ({}) does nothing without {}; try: without it", field->key,
        one_line(field->value.text), field->value.where(), with);
}

void Fields::chooses(std::string_view key) {
  choosers_.emplace_back(key);
  has_chosen_ = has_chosen_ || typed(key);
}

void Fields::add(Field field) {
  const auto same = std::ranges::find(fields_, field.key, &Field::key);
  Field* entry = same == fields_.end() ? nullptr : &*same;
  for (const std::string& name : field.aliases) {
    const Field* taken = find_field(fields_, name);
    expect(taken == nullptr || taken == entry, "an option's alias " + name + " is taken");
  }
  if (!entry) {
    expect(find_field(fields_, field.key) == nullptr, "an option's key " + field.key + " is taken");
    const auto before = std::ranges::find(fields_, field.limits.place, &Field::key);
    fields_.insert(before == fields_.end() ? before : before + 1, std::move(field));
    return;
  }
  const bool is_noted =
      entry->section == field.section ||
      std::ranges::find(entry->again, field.section, &Field::Again::section) != entry->again.end();
  if (!is_noted) entry->again.push_back({field.section, field.default_text, field.help});
  expect(entry->type == field.type, "the option " + field.key + " was declared with another type");
  for (std::string& alias : field.aliases) {
    if (!means(*entry, alias)) entry->aliases.push_back(std::move(alias));
  }
}

void Fields::record(std::string_view key, const std::vector<std::string>& value) {
  const auto field = std::ranges::find(fields_, dashed(key), &Field::key);
  expect(field != fields_.end(), "only a declared option is recorded");
  field->value.text = format_value(value);
}

bool Fields::given(std::string_view key) const {
  const Field* field = find_field(fields_, key);
  return field && !field->value.is_default();
}

bool Fields::typed(std::string_view key) const {
  const Field* field = find_field(fields_, key);
  return field && is_typed(field->value);
}

void Fields::displace(std::string_view key, std::initializer_list<std::string_view> others) {
  const auto wanted = settings_.find(std::string(key));
  if (wanted == settings_.end() || !is_typed(wanted->second)) return;
  for (const std::string_view other : others) {
    const auto found = settings_.find(std::string(other));
    if (found == settings_.end() || is_typed(found->second)) continue;
    if (!found->second.is_default()) dropped_.push_back(found->first);
    settings_.erase(found);
  }
}

bool Fields::idle(std::string_view key, std::initializer_list<std::string_view> choosers) {
  const auto field = std::ranges::find(fields_, key, &Field::key);
  if (field == fields_.end() || field->value.is_default()) return false;
  if (is_typed(field->value) ||
      std::ranges::none_of(choosers, [&](std::string_view one) { return typed(one); })) {
    return true;
  }
  field->value = {field->default_text, "default"};
  dropped_.push_back(field->key);
  return false;
}

void Fields::finish(const std::vector<Field>& known) {
  for (const auto& [key, setting] : settings_) {
    if (find_field(fields_, key) || setting.is_default()) continue;
    if (const Field* elsewhere = find_field(known, key)) {
      if (has_chosen_ && !is_typed(setting)) {
        dropped_.push_back(key);
        continue;
      }
      raise(Fault::usage, "{} \"{}\" ({}) has no meaning with the other options; try: without it{}",
            key, one_line(setting.text), setting.where(), where_it_means_something(*elsewhere));
    }
    const std::string near = nearest(key, spellings(fields_));
    const std::string elsewhere = advice_for_other_stacks(key, fields_);
    raise(Fault::usage, "unknown key {} ({}){}", one_line(key), setting.where(),
          !elsewhere.empty() ? elsewhere
          : near.empty()     ? "; try: --help all"
                             : "; nearest: " + near);
  }
}

}  // namespace convoy
