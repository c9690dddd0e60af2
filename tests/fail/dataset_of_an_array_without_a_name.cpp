// SPDX-License-Identifier: BSL-1.0
// expected-first-error: error_array_needs_a_name<.*Extents<4> *>
#include <sigma/data/pipeline/dataset.hpp>
using namespace sigma;
using namespace sigma::data;

void read(const ArrayOf<data::Extents<4>>& numbers, const ArrayOf<data::Extents<>>& labels) {
#ifdef TWIN
    const auto all = zip(inputs = numbers, targets = labels) >> dataset("numbers");
    (void)all.size();
#else
    (void)labels;
    numbers >> dataset("numbers");
#endif
}
