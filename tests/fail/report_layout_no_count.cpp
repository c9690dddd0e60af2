// SPDX-License-Identifier: BSL-1.0
// expected-first-error-g++: error_layout_writes_a_number_that_is_no_count_by_f_e_g_or_percent
// expected-first-error-clang: layout_for
// first-error-of-g++: in report.hpp, it names where the compiler stopped, and the user's line above
#include <sigma/hook/report.hpp>
#include <sigma/hook/words.hpp>
using namespace sigma;

#ifdef TWIN
const auto line = report("loss {:g}", training_loss);
#else
const auto line = report("loss {:d}", training_loss);
#endif
