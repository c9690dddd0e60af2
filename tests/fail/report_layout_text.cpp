// SPDX-License-Identifier: BSL-1.0
// expected-first-error-g++: error_report_with_a_layout_takes_values_only
// expected-first-error-clang: layout_for
// first-error-of-g++: in report.hpp, it names where the compiler stopped, and the user's line above
#include <sigma/hook/report.hpp>
#include <sigma/hook/words.hpp>
using namespace sigma;

#ifdef TWIN
const auto line = report("loss {} so far", training_loss);
#else
const auto line = report("loss {} {}", training_loss, "so far");
#endif
