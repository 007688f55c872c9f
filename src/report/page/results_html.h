// The results of a network in the report: which classes a classifier takes for which, by table and
// chart; the classes of a detector.
#pragma once

#include <string>
#include <string_view>

#include "report/results/class_results.h"

namespace convoy {

// `number`: of the run in the page; its calibration chart is the element calibration-N.
std::string results_html(const ClassResults& results, size_t number);
// The data of that chart, as chart.js takes it.
std::string calibration_json(const ClassResults& results, size_t number);

// The table of a detector's classes (plots/classes.txt); empty for other text.
std::string object_classes_html(std::string_view lines);

}  // namespace convoy
