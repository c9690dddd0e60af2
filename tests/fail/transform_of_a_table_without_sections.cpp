// SPDX-License-Identifier: BSL-1.0
// expected-first-error: error_table_needs_sections
// first-error-of-clang: 320 characters, of a mistake that is no template clang quotes the call first
#include <sigma/data/data.hpp>
using namespace sigma;
using namespace sigma::data;

void read(const Table& table) {
#ifdef TWIN
    const auto all = table >> sections(inputs = columns(0, 3), targets = labels(4)) >> standardize(inputs) >> dataset("iris");
    (void)all.size();
#else
    const auto all = table >> standardize(inputs) >> dataset("iris");
    (void)all.size();
#endif
}
