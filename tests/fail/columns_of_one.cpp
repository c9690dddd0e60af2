// SPDX-License-Identifier: BSL-1.0
// expected-first-error: error_columns_are_from_the_first_to_the_last<.*use_column
#include <sigma/data/reader/csv.hpp>
using namespace sigma::data;

auto read(const Table& table) {
#ifdef TWIN
    return table >> sections(inputs = column(0), targets = labels(6));
#else
    return table >> sections(inputs = columns(0), targets = labels(6));
#endif
}
