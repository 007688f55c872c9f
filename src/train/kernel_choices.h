// The options that set the algorithm rules of tensor/choices.h.
#pragma once

#include <string>
#include <vector>

#include "config/fields.h"
#include "tensor/choices.h"

namespace convoy {

// Reads the files named by --algorithms; the run records their rules, not their names.
void describe_choices(Fields& field, Choices& choices);
// The value of --algorithms that gives the same rules without files.
std::vector<std::string> rule_texts(const Choices& choices);

}  // namespace convoy
