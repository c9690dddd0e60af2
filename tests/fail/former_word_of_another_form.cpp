// SPDX-License-Identifier: BSL-1.0
// expected-first-error: error_word_is_written_otherwise<.*use_csv_of_file_with_columns
#include <sigma/sigma.hpp>
using namespace sigma;

#ifdef TWIN
const Dataset flowers = make_dataset(Array<float>{{1, 2}}, Array<float>{0});
#else
const Dataset flowers = data::read_csv("flowers.csv");
#endif
