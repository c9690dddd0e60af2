// SPDX-License-Identifier: BSL-1.0
// expected-first-error: error_word_of_namespace_data_is_not_included<.*include_sigma_data_data_hpp>
#ifdef TWIN
#include <sigma/data/data.hpp>
#endif
#include <sigma/data/names.hpp>
using namespace sigma;
using namespace sigma::data;

const auto measured = columns(0, 3);
