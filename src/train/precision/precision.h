// In which types a network computes: the options, and the rules that the compiler follows.
#pragma once

#include <string>
#include <vector>

#include "base/text/words.h"
#include "compile/storage_rules.h"
#include "config/fields.h"
#include "train/update/kept_weights.h"

namespace convoy {

// Activations, their gradients and the working copy of the weights; then master weights, optimizer
// and everything else.
enum class PrecisionKind { full, mixed, half };
constexpr auto words_of(PrecisionKind) { return words<PrecisionKind>("32.32", "16.32", "16.16"); }
enum class FloatKind { fp32, bf16, fp16 };
constexpr auto words_of(FloatKind) { return words<FloatKind>("fp32", "bf16", "fp16"); }

struct Precision {
  PrecisionKind kind = PrecisionKind::full;
  FloatKind dtype = FloatKind::fp32;
  bool amp = false;
  bool stochastic_rounding = true;  // of the weights and buffers of 16.16
  bool fp32_copy = false;           // 16.16 with weights that are trained in fp32
  bool saturates = false;           // fp16 does not overflow to infinity
  bool half_partials = false;       // asked for; sums are fp32 all the same
  std::vector<std::string> lists;   // as train/precision/storage_lists.h reads them

  // Declares and reads the options; refuses contradictions and what Convoy does not compute in.
  void describe(Fields& field);

  StorageRules storage() const;
  // What is kept in 16 bits besides activations: with 16.16 the weights and the optimizer's
  // buffers.
  KeptWeights kept() const;
  // The options that differ from fp32, for the metadata of weights.
  std::vector<std::pair<std::string, std::string>> told() const;
  // "fp32", "bf16": for people and logs.
  std::string_view name() const { return word_of(dtype); }

 private:
  void describe_details(Fields& field);
  // Makes one of the three options that say whether there are 16 bits.
  void settle(Fields& field);
};

}  // namespace convoy
