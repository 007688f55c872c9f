// The user's word on algorithms (--algorithms): a line `PASS CONVOLUTION ALGORITHM` each, as
// `convoy bench convs` prints them, in a text file where # begins a comment. In PASS and
// CONVOLUTION
// * and ? stand for any text. Format: docs/formats/algorithms.md.
#pragma once

#include <string>
#include <string_view>
#include <vector>

#include "base/files/file.h"
#include "tensor/choices.h"

namespace convoy::ops {

// Usage errors, with `where` in front: not three words, no such pass, no convolution, no such
// algorithm, or one that cannot compute that convolution.
AlgorithmRule parse_rule(std::string_view line, std::string where);

// Whether it is meant as a rule rather than the name of a file.
bool looks_like_rule(std::string_view text);

// All rules of a file; errors name file and line.
std::vector<AlgorithmRule> read_rules(const fs::path& path);

std::string rule_text(const AlgorithmRule& rule);

}  // namespace convoy::ops
