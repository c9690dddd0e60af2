// SPDX-License-Identifier: BSL-1.0
// expected-first-error: error_columns_have_no_section_yet<.*Columns<
#include <sigma/data/reader/csv.hpp>
using namespace sigma::data;

auto read(const Table& table) {
#ifdef TWIN
    return table >> sections(inputs = columns(0, 3), targets = column(4));
#else
    return table >> sections(inputs = columns(0, 3), column(4));
#endif
}
