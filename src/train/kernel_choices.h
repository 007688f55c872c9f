// The options that stand for tensor/choices.h.
#pragma once

#include <string>
#include <vector>

#include "config/fields.h"
#include "tensor/choices.h"

namespace convoy {

// Reads the files that --algorithms names; what is recorded of it are their lines.
void describe_choices(Fields& field, Choices& choices);
// The value of --algorithms that stands for the rules, without files.
std::vector<std::string> rule_texts(const Choices& choices);

}  // namespace convoy
