// SPDX-License-Identifier: BSL-1.0
// expected-first-error: error_word_is_written_otherwise<.*use_squared_diff_and_score_data_regression
#include <sigma/sigma.hpp>
using namespace sigma;

#ifdef TWIN
auto use() { return losses::squared_diff; }
#else
auto use() { return losses::rmse; }
#endif
