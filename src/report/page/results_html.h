// The results of a classifier in the report: which classes it takes for which, by table and chart.
#pragma once

#include <string>

#include "report/results/class_results.h"

namespace convoy {

// `number`: of the run in the page; its calibration chart is the element calibration-N.
std::string results_html(const ClassResults& results, size_t number);
// The data of that chart, as chart.js takes it.
std::string calibration_json(const ClassResults& results, size_t number);

}  // namespace convoy
