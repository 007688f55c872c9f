// Compares text with a file of tests/golden/.
#pragma once

#include <string>

namespace convoy::test {

// `text` must be what tests/golden/<name> holds. With UPDATE_GOLDEN=1 the file is written instead.
void expect_golden(const std::string& name, const std::string& text);

}  // namespace convoy::test
