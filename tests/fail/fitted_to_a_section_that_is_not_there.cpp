// SPDX-License-Identifier: BSL-1.0
// expected-first-error: error_no_such_section<
#include <sigma/data/data.hpp>
using namespace sigma;
using namespace sigma::data;

using Iris = Schema<SectionField<"inputs", Role::input, data::Extents<4>>, SectionField<"targets", Role::target, data::Extents<>>>;

void learn(const DatasetOf<Iris>& training) {
#ifdef TWIN
    const Preprocessing p = fitted(standardize(inputs), training);
    (void)p.empty();
#else
    const Preprocessing p = fitted(standardize(input<"picture">), training);
    (void)p.empty();
#endif
}
