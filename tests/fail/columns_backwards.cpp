// SPDX-License-Identifier: BSL-1.0
// expected-first-error: error_last_column_before_first<.*column_number<3>.*column_number<0>
#include <sigma/data/reader/csv.hpp>
using namespace sigma::data;

auto read(const Table& table) {
#ifdef TWIN
    return table >> sections(inputs = columns<0, 3>(), targets = labels(4));
#else
    return table >> sections(inputs = columns<3, 0>(), targets = labels(4));
#endif
}
