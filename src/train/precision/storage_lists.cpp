// A file is JSON with the lists of a bf16 conversion pass: {"allowlist": ["convolution", …],
// "conditional_list": [...], "strict_conditional_list": [...], "non_convertible_exceptions":
// [["batch_norm", "layer4"], …], "convertible_exceptions": [...]}. Exceptions are pairs of an op
// and an expression that is searched in the names of nodes, or the other way round, as in
// TensorFlow's lists, whose names of ops are taken too; there an empty name is that of any op.

#include "train/precision/storage_lists.h"

#include <array>
#include <nlohmann/json.hpp>

#include "base/error.h"
#include "base/files/file.h"
#include "base/show.h"
#include "base/text/json.h"
#include "base/text/text.h"
#include "ops/family.h"
#include "train/precision/tensorflow_ops.h"

namespace convoy {
namespace {

using Json = nlohmann::json;

// The words that begin a rule; of these a list is made of `base` words and rules.
struct RuleWord {
  std::string_view word;
  Narrowing narrowing;
};
constexpr std::array rule_words{RuleWord{"always", Narrowing::always},
                                RuleWord{"any", Narrowing::any}, RuleWord{"all", Narrowing::all},
                                RuleWord{"never", Narrowing::never}};

struct ListKey {
  std::string_view key, word;
  bool pairs;
};
constexpr std::array list_keys{ListKey{"allowlist", "always", false},
                               ListKey{"conditional_list", "any", false},
                               ListKey{"strict_conditional_list", "all", false},
                               ListKey{"non_convertible_exceptions", "never", true},
                               ListKey{"convertible_exceptions", "always", true}};

// What ops without a rule do: as they do by themselves; only products read bf16; all stay in fp32.
constexpr std::string_view full = "full", basic = "basic", none = "none";

const RuleWord* rule_word(std::string_view word) {
  const auto found = std::ranges::find(rule_words, word, &RuleWord::word);
  return found == rule_words.end() ? nullptr : &*found;
}

const OpDef* op_here(std::string_view name) {
  for (const ops::OpFamily& family : ops::ops_catalog()) {
    for (const OpDef* op : family.ops) {
      if (op->name == name) return op;
    }
  }
  return nullptr;
}

bool names_op(std::string_view text) {
  return text == StorageRules::Rule::any_op || op_here(text) || ops_of_tensorflow(text);
}

// The ops that a name is about; with `narrows` each of them must be able to store bf16.
std::vector<std::string> ops_named(const std::string& name, bool narrows) {
  if (name == StorageRules::Rule::any_op) return {name};
  if (const auto here = ops_of_tensorflow(name)) return {here->begin(), here->end()};
  if (const OpDef* op = op_here(name)) {
    if (narrows && op->narrowing == Narrowing::never) {
      raise(Fault::usage, "bf16-lists: {} is computed in fp32 alone; try: without it", name);
    }
    return {name};
  }
  std::vector<std::string> names;
  for (const ops::OpFamily& family : ops::ops_catalog()) {
    for (const OpDef* op : family.ops) names.emplace_back(op->name);
  }
  for (const std::string_view other : tensorflow_names()) names.emplace_back(other);
  const std::string near = nearest(name, names);
  raise(Fault::usage, "bf16-lists: there is no op {}{}", one_line(name),
        near.empty() ? "; try: the ops of docs/precision.md" : "; nearest: " + near);
}

void add_rules(const std::string& text, std::vector<StorageRules::Rule>& rules) {
  const std::vector<std::string> words = split_at_blanks(text);
  const RuleWord* word = words.empty() ? nullptr : rule_word(words[0]);
  if (!word || words.size() < 2 || words.size() > 3) {
    raise(Fault::usage,
          "bf16-lists: {} is neither full, basic or none, nor a file, nor a rule; try: never "
          "batch_norm, or always convolution layer1",
          one_line(text));
  }
  const std::string expression = words.size() == 3 ? words[2] : "";
  std::regex nodes;
  try {
    nodes = std::regex(expression);
  } catch (const std::regex_error&) {
    raise(Fault::usage, "bf16-lists: {} is no regular expression; try: a part of a node's name",
          one_line(expression));
  }
  for (std::string& op : ops_named(words[1], word->narrowing != Narrowing::never)) {
    rules.push_back({std::move(op), expression, nodes, word->narrowing});
  }
}

// A pair with its op first.
std::vector<std::string> op_and_nodes(const Json& pair) {
  auto first = pair[0].get<std::string>(), second = pair[1].get<std::string>();
  if (!names_op(first) && (second.empty() || names_op(second))) std::swap(first, second);
  if (first.empty()) first = StorageRules::Rule::any_op;
  return {first, second};
}

// Adds the rules of one list of a file.
void read_list(const ListKey& list, const Json& entries, const std::string& where,
               std::vector<std::string>& rules) {
  const auto refuse = [&] {
    raise(Fault::usage, "{}: {} is not a list of {}; try: docs/precision.md", where, list.key,
          list.pairs ? "pairs of op and expression" : "ops");
  };
  if (!entries.is_array()) refuse();
  for (const Json& entry : entries) {
    const bool fits = list.pairs ? entry.is_array() && entry.size() == 2 && entry[0].is_string() &&
                                       entry[1].is_string()
                                 : entry.is_string();
    if (!fits) refuse();
    std::string rule(list.word);
    for (const std::string& text :
         list.pairs ? op_and_nodes(entry) : std::vector{entry.get<std::string>()}) {
      if (text.empty() || text.find_first_of(" \t\r\n,") != text.npos) {
        raise(Fault::usage, "{}: {}: {} is empty or has blanks or commas; try: another expression",
              where, list.key, one_line(text));
      }
      rule += " " + text;
    }
    rules.push_back(std::move(rule));
  }
}

std::vector<std::string> rules_of_file(const std::string& path) {
  const std::string text = read_file(path, Fault::usage);
  Json lists;
  try {
    lists = parse_json(text);
  } catch (const JsonError& error) {
    raise(Fault::usage, "{} {}; try: the lists of docs/precision.md", path, error.what());
  }
  if (!lists.is_object()) raise(Fault::usage, "{}: is no JSON object of lists", path);
  std::vector<std::string> rules{std::string(none)};
  for (const auto& [key, entries] : lists.items()) {
    if (std::ranges::find(list_keys, key, &ListKey::key) != list_keys.end()) continue;
    raise(Fault::usage, "{}: there is no list {}; try: allowlist", path, one_line(key));
  }
  for (const ListKey& list : list_keys) {  // in this order: exceptions come after lists
    const auto found = lists.find(list.key);
    if (found != lists.end()) read_list(list, *found, path, rules);
  }
  return rules;
}

bool is_base(const std::string& text) { return text == full || text == basic || text == none; }

}  // namespace

void describe_storage_lists(Fields& field, std::vector<std::string>& lists) {
  field("bf16-lists", lists,
        "with --precision 16.32, what is stored in bf16: full, all that can be; basic, only what "
        "convolutions and linear layers read and write; none; a JSON file of lists of ops; or "
        "rules, such as `never batch_norm` or `never convolution layer1` (docs/precision.md)",
        {}, {"bf16-config-path"});
  std::vector<std::string> texts;
  for (const std::string& text : lists) {
    if (is_base(text) || rule_word(text.substr(0, text.find(' ')))) {
      texts.push_back(text);
      continue;
    }
    const std::vector<std::string> more = rules_of_file(text);
    texts.insert(texts.end(), more.begin(), more.end());
  }
  lists = std::move(texts);
  storage_rules(lists);
  // The record must be complete without the file.
  if (field.given("bf16-lists")) field.record("bf16-lists", lists);
}

StorageRules storage_rules(const std::vector<std::string>& lists) {
  StorageRules rules;
  for (const std::string& text : lists) {
    if (!is_base(text)) {
      add_rules(text, rules.rules);
      continue;
    }
    rules.rules.clear();
    rules.only_listed = text != full;
    if (text != basic) continue;
    for (const ops::OpFamily& family : ops::ops_catalog()) {
      for (const OpDef* op : family.ops) {
        if (op->narrowing == Narrowing::always)
          rules.rules.push_back({std::string(op->name), "", {}, Narrowing::always});
      }
    }
  }
  return rules;
}

}  // namespace convoy
