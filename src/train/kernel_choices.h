// The options that stand for tensor/choices.h.
#pragma once

#include <string>

#include "config/fields.h"
#include "tensor/choices.h"

namespace convoy {

void describe_choices(Fields& field, Choices& choices);
std::string winograd_name(Winograd choice);

}  // namespace convoy
