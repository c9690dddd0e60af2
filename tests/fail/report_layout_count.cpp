// SPDX-License-Identifier: BSL-1.0
// expected-first-error-g++: error_layout_writes_a_count_by_d
// expected-first-error-clang: layout_for
// first-error-of-g++: in report.hpp, it names where the compiler stopped, and the user's line above
#include <sigma/hook/report.hpp>
#include <sigma/hook/words.hpp>
using namespace sigma;

#ifdef TWIN
const auto line = report("epoch {:2d}", epoch);
#else
const auto line = report("epoch {:.1f}", epoch);
#endif
