// SPDX-License-Identifier: BSL-1.0
// expected-first-error: error_word_is_not_included<.*include_sigma_data_ready_hpp
#ifdef TWIN
#include <sigma/data/ready.hpp>
#endif
#include <sigma/sigma.hpp>
using namespace sigma;

const Dataset flowers = data::iris();
