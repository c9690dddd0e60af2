// SPDX-License-Identifier: BSL-1.0
// expected-first-error-g++: error_layout_has_other_number_of_braces_than_values
// expected-first-error-clang: layout_for
// first-error-of-g++: in report.hpp, it names where the compiler stopped, and the user's line above
#include <sigma/hook/report.hpp>
#include <sigma/hook/words.hpp>
using namespace sigma;

#ifdef TWIN
const auto line = report("epoch {:2}  loss {:.4f}", epoch, training_loss);
#else
const auto line = report("epoch {:2}  loss {:.4f}", epoch);
#endif
