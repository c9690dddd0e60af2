// SPDX-License-Identifier: BSL-1.0
// expected-first-error: error_columns_are_from_the_first_to_the_last<.*use_braces_around_several
#include <sigma/data/reader/csv.hpp>
using namespace sigma::data;

auto read(const Table& table) {
#ifdef TWIN
    return table >> sections(inputs = columns({0, 2, 5}), targets = labels(6));
#else
    return table >> sections(inputs = columns(0, 2, 5), targets = labels(6));
#endif
}
