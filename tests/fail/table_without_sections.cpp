// SPDX-License-Identifier: BSL-1.0
// expected-first-error: error_table_needs_sections
#include <sigma/data/data.hpp>
using namespace sigma;
using namespace sigma::data;

void read(const Table& table) {
#ifdef TWIN
    const auto all = table >> sections(inputs = columns(0, 3), targets = labels(4)) >> dataset("iris");
    (void)all.size();
#else
    const auto all = table >> dataset("iris");
    (void)all.size();
#endif
}
