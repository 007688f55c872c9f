#include "train/precision/precision.h"

#include <algorithm>

#include "base/error.h"
#include "base/text/text.h"
#include "train/precision/storage_lists.h"

namespace convoy {
namespace {

[[noreturn]] void refuse_two(std::string_view one, std::string_view other) {
  raise(Fault::usage, "--{} and --{} contradict each other; try: one of them", one, other);
}

std::string typed_as(std::string_view key, std::string_view word) {
  return fmt::format("{} {}", key, word);
}

}  // namespace

// --dtype and --amp are other ways to say --precision. Of two that contradict each other the typed
// one counts if the other is of a recipe; a recipe's 16-bit type stays with any precision of 16.
void Precision::describe(Fields& field) {
  field("precision", kind,
        "bits of activations and their gradients, and of the weights and the optimiser's buffers: "
        "16.32, 16.16 or 32.32, which is fp32");
  field("dtype", dtype, "the 16-bit type: bf16 or fp16; by itself the same as --precision 16.32");
  field("amp", amp, "as other programs call it: --precision 16.32");
  settle(field);
  field("stochastic-rounding", stochastic_rounding,
        "with --precision 16.16: weights are rounded up or down at random after an update, the "
        "nearer the likelier, so that small steps are not lost; otherwise to the nearest",
        Limits().training_only());
  field.needs("stochastic-rounding", kind == PrecisionKind::half, "--precision 16.16",
              {"precision", "dtype", "amp"});
  describe_details(field);
  describe_storage_lists(field, lists);
  field.needs("bf16-lists", kind != PrecisionKind::full, "--precision 16.32",
              {"precision", "dtype", "amp"});
}

void Precision::describe_details(Fields& field) {
  field(
      "offload-fp32-weight-copy", fp32_copy,
      "with --precision 16.16: the weights are trained in fp32 and rounded for the network alone, "
      "which is 16.32",
      Limits().training_only());
  field.needs("offload-fp32-weight-copy", kind == PrecisionKind::half, "--precision 16.16",
              {"precision", "dtype", "amp"});
  field("saturate-on-overflow", saturates,
        "with --dtype fp16: what is beyond the largest number, 65504, is stored as that, not as "
        "infinity");
  field.needs("saturate-on-overflow", dtype == FloatKind::fp16, "--dtype fp16",
              {"precision", "dtype", "amp"});
  saturates = saturates && dtype == FloatKind::fp16;
  field("half-partials", half_partials,
        "accepted with 16 bits; the sums of products are fp32 all the same",
        Limits().training_only(), {"enable-half-partials"});
  field.needs("half-partials", kind != PrecisionKind::full, "--precision 16.16",
              {"precision", "dtype", "amp"});
  half_partials = half_partials && kind != PrecisionKind::full;
}

void Precision::settle(Fields& field) {
  struct Way {
    const char* key;
    bool is_narrow;
    std::string text;
  };
  std::vector<Way> ways;  // that were given
  const auto add = [&](const char* key, bool is_narrow, std::string text) {
    if (field.given(key)) ways.push_back({key, is_narrow, std::move(text)});
  };
  add("precision", kind != PrecisionKind::full, typed_as("precision", word_of(kind)));
  add("dtype", dtype != FloatKind::fp32, typed_as("dtype", word_of(dtype)));
  add("amp", amp, amp ? "amp" : "no-amp");
  const auto first_typed =
      std::ranges::find_if(ways, [&](const Way& way) { return field.typed(way.key); });
  const Way* counts = ways.empty() ? nullptr : &ways.front();
  if (first_typed != ways.end()) counts = &*first_typed;
  for (const Way& way : ways) {
    const bool may_yield = first_typed != ways.end() && !field.typed(way.key);
    if (way.is_narrow != counts->is_narrow && !may_yield) refuse_two(way.text, counts->text);
  }
  const bool is_narrow = counts && counts->is_narrow;
  if (!is_narrow) {
    kind = PrecisionKind::full;
    dtype = FloatKind::fp32;
  } else {
    if (kind == PrecisionKind::full) kind = PrecisionKind::mixed;
    if (dtype == FloatKind::fp32) dtype = FloatKind::bf16;
  }
  amp = amp && is_narrow;
  field.record("precision", {std::string(word_of(kind))});
  if (field.given("dtype")) field.record("dtype", {std::string(word_of(dtype))});
  if (field.given("amp")) field.record("amp", {is_narrow ? "true" : "false"});
}

StorageRules Precision::storage() const {
  StorageRules rules;
  if (kind == PrecisionKind::full) return rules;
  rules = storage_rules(lists);
  rules.bf16 = true;
  if (dtype == FloatKind::fp16) rules.narrow = DType::f16;
  return rules;
}

KeptWeights Precision::kept() const {
  if (kind != PrecisionKind::half || fp32_copy) return {};
  return {.type = dtype == FloatKind::fp16 ? DType::f16 : DType::bf16,
          .stochastic = stochastic_rounding};
}

std::vector<std::pair<std::string, std::string>> Precision::told() const {
  std::vector<std::pair<std::string, std::string>> options;
  if (kind == PrecisionKind::full) return options;
  options.emplace_back("precision", word_of(kind));
  if (dtype == FloatKind::fp16) options.emplace_back("dtype", word_of(dtype));
  if (saturates) options.emplace_back("saturate-on-overflow", "true");
  if (!lists.empty()) options.emplace_back("bf16-lists", join(lists, ","));
  return options;
}

}  // namespace convoy
