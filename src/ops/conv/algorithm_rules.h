// The user's choice of algorithms (--algorithms). A rule is a line `PASS CONVOLUTION ALGORITHM`, as
// `convoy bench convs` prints it, in a text file where # begins a comment. In PASS and CONVOLUTION,
// * and ? match any text. Format: docs/formats/algorithms.md.
#pragma once

#include <string>
#include <string_view>
#include <vector>

#include "base/files/file.h"
#include "tensor/choices.h"

namespace convoy::ops {

// Parses a rule. Usage errors, prefixed with `where`: not three words, an unknown pass, convolution
// or algorithm, or an algorithm that cannot compute this convolution.
AlgorithmRule parse_rule(std::string_view line, std::string where);

// Whether the text is a rule rather than the name of a file.
bool looks_like_rule(std::string_view text);

// All rules of a file; errors name file and line.
std::vector<AlgorithmRule> read_rules(const fs::path& path);

std::string rule_text(const AlgorithmRule& rule);

}  // namespace convoy::ops
