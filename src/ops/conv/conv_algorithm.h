// Which algorithm computes a pass of a convolution: a pure function of shape, pass, ISA level and
// the user's choices, so that every machine of one level does the same. The batch is no part of it:
// replicas give the same bits alone and beside others, evaluations however they are cut.
#pragma once

#include <optional>
#include <span>
#include <string_view>

#include "tensor/choices.h"
#include "tensor/isa.h"
#include "tensor/onednn.h"

namespace convoy::ops {

// In the order of preference. To add one: its name here, a row in conv_algorithm.cpp, its work in
// conv_cost.cpp, its kernels in convolution.cpp; then fit (docs/decisions/0010). Until there are
// rates for it, it is taken only where the user says so.
std::span<const ConvAlgorithm> conv_algorithms();
std::string_view algorithm_name(ConvAlgorithm algorithm);  // "direct", "winograd:f2", …
std::optional<ConvAlgorithm> algorithm_by_name(std::string_view name);

// Whether it can compute that pass at all. Winograd's filters: 3x3, stride 1, one group, blocked,
// padded by at most 2.
bool can_compute(ConvAlgorithm algorithm, const onednn::ConvShape& shape, onednn::ConvPass pass);
// Whether --winograd lets it be chosen.
bool is_allowed(ConvAlgorithm algorithm, Winograd winograd);

// The batch for which the choice is made, since it may not depend on the real one: as many images
// as fill 2 MiB, 16 to 128. Nets of small images are trained in large batches.
int64_t usual_images(const onednn::ConvShape& shape);

// The rule that decides about it; null: none. A rule with * or ? decides only where its algorithm
// can; one without, for a convolution that it cannot compute, is a usage error.
const AlgorithmRule* deciding_rule(const onednn::ConvShape& shape, onednn::ConvPass pass,
                                   const Choices& choices);

// Of those that have a cost the first of the least; `costs` in the order of `conv_algorithms`.
ConvAlgorithm cheapest(std::span<const std::optional<int64_t>> costs);

// By the first rule that decides; else, of what can compute it and is allowed, what is estimated to
// take the least time for `usual_images`.
ConvAlgorithm choose_algorithm(const onednn::ConvShape& shape, onednn::ConvPass pass,
                               const Choices& choices, Isa level = isa_level());

// Pixels of a side of Winograd's output tile, 4 or 2; 0: another algorithm.
int64_t winograd_tile(ConvAlgorithm algorithm);

}  // namespace convoy::ops
