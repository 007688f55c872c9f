// The help of a dialect: its programs and their options, and what each is in Convoy.
#pragma once

#include <string>

#include "dialects/dialect.h"

namespace convoy {

// `full`: with the options of other hardware and the environment variables.
std::string dialect_help(const Dialect& dialect, const DialectProgram& program, bool full);

}  // namespace convoy
