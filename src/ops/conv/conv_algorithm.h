// Chooses the algorithm of a convolution pass: a pure function of shape, pass, ISA level and the
// user's choices, so that all machines of one level choose the same. It does not depend on the
// batch: replicas give the same bits alone or together, and evaluation gives the same for any batch
// size.
#pragma once

#include <optional>
#include <span>
#include <string_view>

#include "tensor/choices.h"
#include "tensor/isa.h"
#include "tensor/onednn.h"

namespace convoy::ops {

// In order of preference. To add one: its name here, a row in conv_algorithm.cpp, its work in
// conv_cost.cpp, its kernels in convolution.cpp; then fit the rates (docs/decisions/0010). Without
// rates it is used only if the user's rules ask for it.
std::span<const ConvAlgorithm> conv_algorithms();
std::string_view algorithm_name(ConvAlgorithm algorithm);  // "direct", "winograd:f2", …
std::optional<ConvAlgorithm> algorithm_by_name(std::string_view name);

// Whether the algorithm can compute the pass at all. Winograd: 3x3, stride 1, one group, blocked,
// padding of at most 2.
bool can_compute(ConvAlgorithm algorithm, const onednn::ConvShape& shape, onednn::ConvPass pass);
// Whether --winograd allows it.
bool is_allowed(ConvAlgorithm algorithm, Winograd winograd);

// The batch size assumed for the choice, since it may not depend on the real one: the number of
// images that fill 2 MiB, within 16 to 128. Networks for small images are trained with large
// batches.
int64_t usual_images(const onednn::ConvShape& shape);

// The rule that decides for this pass; null: none. A rule with * or ? decides only where its
// algorithm can compute the pass; a rule without, whose algorithm cannot, is a usage error.
const AlgorithmRule* deciding_rule(const onednn::ConvShape& shape, onednn::ConvPass pass,
                                   const Choices& choices);

// The algorithm of least cost, the first one on ties; `costs` in the order of `conv_algorithms`.
ConvAlgorithm cheapest(std::span<const std::optional<int64_t>> costs);

// Chooses by the first rule that decides; else the algorithm that can compute the pass, is allowed,
// and has the least estimated time for `usual_images`.
ConvAlgorithm choose_algorithm(const onednn::ConvShape& shape, onednn::ConvPass pass,
                               const Choices& choices, Isa level = isa_level());

// The side of Winograd's output tile in pixels, 4 or 2; 0: another algorithm.
int64_t winograd_tile(ConvAlgorithm algorithm);

}  // namespace convoy::ops
