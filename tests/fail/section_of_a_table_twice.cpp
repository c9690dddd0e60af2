// SPDX-License-Identifier: BSL-1.0
// expected-first-error: error_section_twice<.*SectionName<.*(inputs|105, 110, 112).*sections_are<
#include <sigma/data/reader/csv.hpp>
using namespace sigma::data;

auto read(const Table& table) {
#ifdef TWIN
    return table >> sections(inputs = columns(0, 3) + column(5), targets = labels(4));
#else
    return table >> sections(inputs = columns(0, 3), targets = labels(4), inputs = column(5));
#endif
}
