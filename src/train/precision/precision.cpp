#include "train/precision/precision.h"

#include "base/error.h"
#include "base/text/text.h"
#include "train/precision/storage_lists.h"

namespace convoy {
namespace {

// --dtype and --amp are other ways to say --precision: the typed ones replace those of a recipe.
void displace_each_other(Fields& field) {
  field.displace("precision", {"dtype", "amp"});
  field.displace("dtype", {"precision", "amp"});
  field.displace("amp", {"precision", "dtype"});
}

[[noreturn]] void refuse_two(std::string_view one, std::string_view other) {
  raise(Fault::usage, "--{} and --{} contradict each other; try: one of them", one, other);
}

}  // namespace

void Precision::describe(Fields& field) {
  displace_each_other(field);
  field("amp", amp, "as other programs call it: --precision 16.32");
  const bool has_amp = field.given("amp");
  if (amp) dtype = FloatKind::bf16;
  field("dtype", dtype,
        "the type of activations: fp32; bf16: --precision 16.32. fp16 is not available");
  const bool has_dtype = field.given("dtype");
  if (dtype == FloatKind::fp16) {
    raise(Fault::usage, "--dtype fp16: Convoy's 16-bit type is bf16; try: --dtype bf16");
  }
  if (has_amp && has_dtype && amp != (dtype == FloatKind::bf16)) {
    refuse_two(amp ? "amp" : "no-amp", fmt::format("dtype {}", word_of(dtype)));
  }
  kind = dtype == FloatKind::bf16 ? PrecisionKind::mixed : PrecisionKind::full;
  field(
      "precision", kind,
      "bits of activations and their gradients, and of the weights: 16.32 is bf16 and fp32; 16.16 "
      "is not available");
  if (kind == PrecisionKind::half) {
    raise(Fault::usage,
          "--precision 16.16: Convoy keeps the weights in fp32; try: --precision 16.32");
  }
  const bool is_mixed = kind == PrecisionKind::mixed;
  if (has_dtype && is_mixed != (dtype == FloatKind::bf16)) {
    refuse_two(fmt::format("dtype {}", word_of(dtype)), fmt::format("precision {}", word_of(kind)));
  }
  if (has_amp && is_mixed != amp) {
    refuse_two(amp ? "amp" : "no-amp", fmt::format("precision {}", word_of(kind)));
  }
  dtype = is_mixed ? FloatKind::bf16 : FloatKind::fp32;
  describe_storage_lists(field, lists);
  field.needs("bf16-lists", is_mixed, "--precision 16.32", {"precision", "dtype", "amp"});
}

StorageRules Precision::storage() const {
  StorageRules rules;
  if (kind != PrecisionKind::mixed) return rules;
  rules = storage_rules(lists);
  rules.bf16 = true;
  return rules;
}

std::vector<std::pair<std::string, std::string>> Precision::told() const {
  std::vector<std::pair<std::string, std::string>> options;
  if (kind == PrecisionKind::full) return options;
  options.emplace_back("precision", word_of(kind));
  if (!lists.empty()) options.emplace_back("bf16-lists", join(lists, ","));
  return options;
}

}  // namespace convoy
