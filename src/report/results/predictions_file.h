// plots/predictions.csv: what the last evaluation of a run found for each sample,
// `index,truth,predicted,confidence,loss`, after lines `# class NAME` in the order of labels.
#pragma once

#include <optional>
#include <string>
#include <string_view>

#include "base/files/file.h"
#include "train/tasks/sample_result.h"

namespace convoy {

std::string predictions_text(const SampleResults& results);
// Lines that are damaged are left out; nothing: it has no sample.
std::optional<SampleResults> parse_predictions(std::string_view text);
// Of a missing file nothing; one that cannot be read is Fault::checkpoint.
std::optional<SampleResults> read_predictions(const fs::path& file);

}  // namespace convoy
