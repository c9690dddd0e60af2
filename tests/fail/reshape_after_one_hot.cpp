// SPDX-License-Identifier: BSL-1.0
// expected-first-error: error_reshape_changes_the_number_of_elements<.*shape<10>, .*shape<2, 6> *>
#include <sigma/data/transform/transforms.hpp>
using namespace sigma;
using namespace sigma::data;

Pipeline<Schema<SectionField<"inputs", Role::input, Extents<28, 28>>, SectionField<"targets", Role::target, Extents<>>>> digits;

#ifdef TWIN
auto pipeline = digits >> one_hot<10>(targets) >> reshape<2, 5>(targets);
#else
auto pipeline = digits >> one_hot<10>(targets) >> reshape<2, 6>(targets);
#endif
