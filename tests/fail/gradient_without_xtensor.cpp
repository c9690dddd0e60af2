// SPDX-License-Identifier: BSL-1.0
// expected-first-error: error_word_is_not_included<.*include_sigma_xtensor_hpp
#ifdef TWIN
#include <sigma/xtensor.hpp>
#endif
#include <sigma/sigma.hpp>
using namespace sigma;

const auto f = gradient([](auto x) { return square(x); });
