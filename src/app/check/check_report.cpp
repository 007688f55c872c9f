#include "app/check/check_report.h"

#include <fmt/core.h>

#include <algorithm>
#include <nlohmann/json.hpp>
#include <set>

#include "base/show.h"
#include "base/text/json_text.h"
#include "base/text/text.h"

namespace convoy {
namespace {

using Json = nlohmann::ordered_json;
constexpr size_t most_listed = 20, most_classes = 30;

std::string line_of(const Finding& finding) {
  if (!finding.other.empty())
    return shown("  {} = {} ({})\n", finding.file, finding.other, finding.what);
  return shown("  {}{}{}\n", finding.file, finding.what.empty() ? "" : ": ", finding.what);
}

// For example "1,000 pictures in 10 classes, 80 to 120 each".
std::string split_text(const std::map<std::string, int64_t>& classes) {
  int64_t low = INT64_MAX, high = 0, sum = 0;
  for (const auto& [label, count] : classes) {
    low = std::min(low, count);
    high = std::max(high, count);
    sum += count;
  }
  if (classes.empty()) return "no classes";
  const std::string each =
      low == high ? with_commas(low) : fmt::format("{} to {}", with_commas(low), with_commas(high));
  return fmt::format("{} pictures in {} classes, {} each", with_commas(sum),
                     with_commas(static_cast<long long>(classes.size())), each);
}

// For example "30 pictures, 2 without boxes; 288 boxes, 6 of them crowds or difficult: 100 small,
// 100 medium, 88 large".
std::string boxes_text(const BoxCounts& one) {
  std::string text =
      shown("  {}: {} pictures, {} without boxes; {} boxes", one.split, with_commas(one.pictures),
            with_commas(one.without_boxes), with_commas(one.boxes));
  if (one.crowds > 0) text += fmt::format(", {} crowds or difficult", with_commas(one.crowds));
  return text + fmt::format("; {} small, {} medium, {} large\n", with_commas(one.small),
                            with_commas(one.medium), with_commas(one.large));
}

// The boxes of each class in each split, as counts of classes.
ClassCounts box_counts(const Findings& findings) {
  ClassCounts counts;
  for (const BoxCounts& one : findings.boxes) {
    for (const auto& [label, count] : one.classes) counts[one.split][label] += count;
  }
  return counts;
}

// One line per class with its number of pictures in each split.
std::string class_table(const ClassCounts& counts) {
  std::set<std::string> labels;
  for (const auto& [split, classes] : counts) {
    for (const auto& [label, count] : classes) labels.insert(label);
  }
  if (labels.empty() || labels.size() > most_classes) return "";
  size_t wide = 0;
  for (const std::string& label : labels) wide = std::max(wide, one_line(label).size());
  std::string text = "\n";
  for (const std::string& label : labels) {
    text += shown("  {:{}}", label, wide);
    for (const auto& [split, classes] : counts) {
      const auto found = classes.find(label);
      const std::string count = found == classes.end() ? "-" : with_commas(found->second);
      text += shown("  {}{}{:>7}", split, split.empty() ? "" : " ", count);
    }
    text += "\n";
  }
  return text;
}

std::string escaped(const std::string& name) {
  std::string text;
  for (const char c : name) {
    if (c == '\t') {
      text += "\\t";
    } else if (c == '\n') {
      text += "\\n";
    } else if (c == '\\') {
      text += "\\\\";
    } else {
      text += c;
    }
  }
  return text;
}

Json boxes_json(const std::vector<BoxCounts>& splits) {
  Json all = Json::object();
  for (const BoxCounts& one : splits) {
    Json classes = Json::object();
    for (const auto& [label, count] : one.classes) classes[label] = count;
    all[one.split] = {{"pictures", one.pictures}, {"without_boxes", one.without_boxes},
                      {"boxes", one.boxes},       {"crowds", one.crowds},
                      {"small", one.small},       {"medium", one.medium},
                      {"large", one.large},       {"classes", std::move(classes)}};
  }
  return all;
}

// Valid pictures, but too few for training. Pictures in records may have no class names.
bool is_too_few(const Findings& findings) {
  return std::ranges::any_of(findings.counts, [](const auto& entry) {
    const auto& [split, classes] = entry;
    if (split.empty() && classes.empty()) return true;
    return classes.size() == 1 && (split.empty() || is_training_split(split));
  });
}

}  // namespace

std::string findings_text(const Findings& findings, const std::string& folder) {
  std::string text =
      shown("{}: {} files, {} pictures, {}\n", folder, with_commas(findings.files),
            with_commas(findings.pictures), human_bytes(static_cast<double>(findings.bytes)));
  if (findings.boxes.empty()) {
    for (const auto& [split, classes] : findings.counts) {
      text += shown("  {}{}{}\n", split, split.empty() ? "" : ": ", split_text(classes));
    }
    text += class_table(findings.counts);
  } else {
    for (const BoxCounts& one : findings.boxes) text += boxes_text(one);
    text += class_table(box_counts(findings));
  }
  std::vector<std::string> wrong;
  for (const FindingKind& kind : findings.kinds) {
    if (kind.found.empty()) continue;
    const std::string count = with_commas(static_cast<long long>(kind.found.size()));
    text += fmt::format("\n{}: {}\n", kind.title, count);
    const size_t listed = std::min(kind.found.size(), most_listed);
    for (size_t i = 0; i < listed; ++i) text += line_of(kind.found[i]);
    if (listed < kind.found.size()) {
      text += fmt::format("  and {} more; --json tells all\n", kind.found.size() - listed);
    }
    if (kind.is_wrong) wrong.push_back(fmt::format("{}: {}", kind.title, count));
  }
  text += "\n" + (wrong.empty() ? "nothing is wrong" : "wrong: " + join(wrong, "; ")) + "\n";
  if (findings.boxes.empty() && is_too_few(findings)) {
    text += "training takes two classes or more: a folder of pictures for each\n";
  }
  return text;
}

std::string findings_json(const Findings& findings, const std::string& folder) {
  Json splits = Json::object(), lists = Json::object();
  for (const auto& [split, classes] : findings.counts) {
    splits[split] = Json::object();
    for (const auto& [label, count] : classes) splits[split][label] = count;
  }
  for (const FindingKind& kind : findings.kinds) {
    Json list = Json::array();
    for (const Finding& finding : kind.found) {
      Json entry{{"file", finding.file}};
      if (!finding.other.empty()) entry["other"] = finding.other;
      if (!finding.what.empty()) entry["what"] = finding.what;
      list.push_back(std::move(entry));
    }
    lists[kind.key] = std::move(list);
  }
  Json all{{"folder", folder},
           {"files", findings.files},
           {"pictures", findings.pictures},
           {"bytes", findings.bytes},
           {"wrong", findings.anything_wrong()},
           {"splits", std::move(splits)},
           {"findings", std::move(lists)}};
  if (!findings.boxes.empty()) all["boxes"] = boxes_json(findings.boxes);
  return json_text(all) + "\n";
}

std::string manifest_text(const std::vector<CheckedFile>& files) {
  std::string text = "path\tbytes\thash\twidth\theight\tcomponents\tlabel\n";
  for (const CheckedFile& f : files) {
    const PictureInfo none{.components = 0};
    const PictureInfo& info = f.is_sound() ? f.info : none;
    text +=
        fmt::format("{}\t{}\t{}\t{}\t{}\t{}\t{}\n", escaped(f.file.path), f.bytes, hash_hex(f.hash),
                    info.width, info.height, info.components, escaped(f.file.label));
  }
  return text;
}

}  // namespace convoy
