#include "ops/conv/algorithm_rules.h"

#include <algorithm>

#include "base/text/text.h"
#include "ops/conv/conv_algorithm.h"
#include "ops/conv/conv_name.h"

namespace convoy::ops {
namespace {

constexpr size_t largest_file = 1 << 20;
constexpr std::string_view example = "forward 64@56x56->64/3x3/s1/p1 winograd:f4";

std::vector<std::string> pass_names() {
  std::vector<std::string> names;
  for (const onednn::ConvPass pass : conv_passes) names.emplace_back(pass_name(pass));
  return names;
}

bool fits_a_pass(const std::string& pattern) {
  return std::ranges::any_of(pass_names(),
                             [&](const std::string& p) { return matches_pattern(p, pattern); });
}

std::string try_one_of(const std::string& word, const std::vector<std::string>& names) {
  const std::string near = nearest(word, names);
  return near.empty() ? "; try: " + join(names, ", ") : "; nearest: " + near;
}

// Arbitrary text from a file, shortened and printable, for a message.
std::string shown(std::string_view text) {
  std::string printable;
  for (const char c : text.substr(0, 60)) printable += c < ' ' || c > '~' ? '?' : c;
  return "\"" + printable + (text.size() > 60 ? "…" : "") + "\"";
}

void check_convolution(const AlgorithmRule& rule) {
  if (rule.convolution.find_first_of("*?") != rule.convolution.npos) {
    if (rule.convolution.find_first_not_of("0123456789@x->/spgbf.*?") == rule.convolution.npos)
      return;
    raise(Fault::usage, "{}: {} fits no convolution; try: {}", rule.where, shown(rule.convolution),
          "*@56x56->*/3x3/s1/p1");
  }
  const auto shape = conv_by_name(rule.convolution);
  if (!shape) {
    raise(Fault::usage, "{}: {} is no convolution; try: {}", rule.where, shown(rule.convolution),
          "64@56x56->64/3x3/s1/p1, as `convoy bench convs` prints them");
  }
  for (const onednn::ConvPass pass : conv_passes) {
    if (!matches_pattern(pass_name(pass), rule.pass) || can_compute(rule.algorithm, *shape, pass))
      continue;
    raise(Fault::usage, "{}: {} cannot compute {} of {}; try: direct", rule.where,
          algorithm_name(rule.algorithm), pass_name(pass), rule.convolution);
  }
}

}  // namespace

AlgorithmRule parse_rule(std::string_view line, std::string where) {
  const std::vector<std::string> words = split_at_blanks(line);
  if (words.size() != 3) {
    raise(Fault::usage, "{}: {} is not PASS CONVOLUTION ALGORITHM; try: {}", where, shown(line),
          example);
  }
  if (!fits_a_pass(words[0])) {
    raise(Fault::usage, "{}: there is no pass {}{}", where, shown(words[0]),
          try_one_of(words[0], pass_names()));
  }
  const auto algorithm = algorithm_by_name(words[2]);
  if (!algorithm) {
    std::vector<std::string> names;
    for (const ConvAlgorithm a : conv_algorithms()) names.emplace_back(algorithm_name(a));
    raise(Fault::usage, "{}: there is no algorithm {}{}", where, shown(words[2]),
          try_one_of(words[2], names));
  }
  AlgorithmRule rule{words[0], words[1], *algorithm, std::move(where)};
  check_convolution(rule);
  return rule;
}

bool looks_like_rule(std::string_view text) {
  const std::vector<std::string> words = split_at_blanks(text);
  return words.size() > 1 && fits_a_pass(words[0]);
}

std::vector<AlgorithmRule> read_rules(const fs::path& path) {
  const std::string text = read_file(path, Fault::usage);
  if (text.size() > largest_file || text.find('\0') != text.npos) {
    raise(Fault::usage, "{}: is no list of algorithms; it must be text, at most 1 MiB",
          path.string());
  }
  std::vector<AlgorithmRule> rules;
  int number = 0;
  for (const std::string& line : split(text, '\n')) {
    ++number;
    const std::string_view content = std::string_view(line).substr(0, line.find('#'));
    if (split_at_blanks(content).empty()) continue;
    rules.push_back(parse_rule(content, fmt::format("{}:{}", path.string(), number)));
  }
  return rules;
}

std::string rule_text(const AlgorithmRule& rule) {
  return fmt::format("{} {} {}", rule.pass, rule.convolution, algorithm_name(rule.algorithm));
}

}  // namespace convoy::ops
