#include "ops/conv/conv_algorithm.h"

#include <algorithm>
#include <array>

#include "base/error.h"
#include "base/text/text.h"
#include "ops/conv/conv_cost.h"
#include "ops/conv/conv_name.h"

namespace convoy::ops {
namespace {

using onednn::ConvPass;
using onednn::ConvShape;

bool always(const ConvShape&, ConvPass) { return true; }

bool winograd_can(const ConvShape& s, ConvPass) {
  return s.stored == DType::f32 && s.kh == 3 && s.kw == 3 && s.stride_h == 1 && s.stride_w == 1 &&
         s.groups == 1 && s.x == Layout::blocked && s.y == Layout::blocked && s.pad_top <= 2 &&
         s.pad_left <= 2 && s.pad_bottom <= 2 && s.pad_right <= 2;
}

struct Row {
  ConvAlgorithm id;
  std::string_view name;
  bool (*can)(const ConvShape&, ConvPass);
};
constexpr std::array rows{Row{ConvAlgorithm::direct, "direct", always},
                          Row{ConvAlgorithm::winograd_f2, "winograd:f2", winograd_can},
                          Row{ConvAlgorithm::winograd_f4, "winograd:f4", winograd_can}};

constexpr auto ids = [] {
  std::array<ConvAlgorithm, rows.size()> all{};
  for (size_t i = 0; i < rows.size(); ++i) all[i] = rows[i].id;
  return all;
}();

const Row& row_of(ConvAlgorithm algorithm) { return rows[static_cast<size_t>(algorithm)]; }

bool has_wildcard(const std::string& text) { return text.find_first_of("*?") != text.npos; }

}  // namespace

std::span<const ConvAlgorithm> conv_algorithms() { return ids; }

std::string_view algorithm_name(ConvAlgorithm algorithm) { return row_of(algorithm).name; }

std::optional<ConvAlgorithm> algorithm_by_name(std::string_view name) {
  for (const Row& row : rows) {
    if (row.name == name) return row.id;
  }
  return {};
}

bool can_compute(ConvAlgorithm algorithm, const ConvShape& shape, ConvPass pass) {
  return row_of(algorithm).can(shape, pass);
}

bool is_allowed(ConvAlgorithm algorithm, Winograd winograd) {
  const int64_t tile = winograd_tile(algorithm);
  return tile == 0 || winograd == Winograd::automatic || (winograd == Winograd::f2 && tile == 2);
}

const AlgorithmRule* deciding_rule(const ConvShape& shape, ConvPass pass, const Choices& choices) {
  if (choices.rules.empty()) return nullptr;
  const std::string convolution = conv_name(shape);
  for (const AlgorithmRule& rule : choices.rules) {
    if (!matches_pattern(pass_name(pass), rule.pass) ||
        !matches_pattern(convolution, rule.convolution))
      continue;
    if (can_compute(rule.algorithm, shape, pass)) return &rule;
    if (!has_wildcard(rule.convolution)) {
      raise(Fault::usage, "{}: {} cannot compute {} of {}; try: direct", rule.where,
            algorithm_name(rule.algorithm), pass_name(pass), convolution);
    }
  }
  return nullptr;
}

int64_t usual_images(const ConvShape& s) {
  return std::clamp<int64_t>((int64_t{1} << 19) / (s.ic * s.ih * s.iw), 16, 128);
}

ConvAlgorithm cheapest(std::span<const std::optional<int64_t>> costs) {
  size_t best = 0;
  for (size_t i = 1; i < costs.size(); ++i) {
    if (costs[i] && (!costs[best] || *costs[i] < *costs[best])) best = i;
  }
  return ids[best];
}

ConvAlgorithm choose_algorithm(const ConvShape& shape, ConvPass pass, const Choices& choices,
                               Isa level) {
  if (const AlgorithmRule* rule = deciding_rule(shape, pass, choices)) return rule->algorithm;
  ConvShape usual = shape;
  usual.n = usual_images(shape);
  std::array<std::optional<int64_t>, ids.size()> costs;
  for (size_t i = 0; i < ids.size(); ++i) {
    if (!can_compute(ids[i], shape, pass) || !is_allowed(ids[i], choices.winograd)) continue;
    costs[i] = conv_estimate(ids[i], usual, pass, level);
  }
  return cheapest(costs);
}

int64_t winograd_tile(ConvAlgorithm algorithm) {
  if (algorithm == ConvAlgorithm::winograd_f4) return 4;
  return algorithm == ConvAlgorithm::winograd_f2 ? 2 : 0;
}

}  // namespace convoy::ops
