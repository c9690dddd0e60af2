// SPDX-License-Identifier: BSL-1.0
// expected-first-error: error_section_twice<.*section(_named)?<.*(inputs|'i', 'n', 'p').*sections_are<
// first-error-of-clang: 320 characters, clang spells the sections by letters
#include <sigma/data/reader/csv.hpp>
using namespace sigma::data;

auto read(const Table& table) {
#ifdef TWIN
    return table >> sections(inputs = columns(0, 3) + column(5), targets = labels(4));
#else
    return table >> sections(inputs = columns(0, 3), targets = labels(4), inputs = column(5));
#endif
}
