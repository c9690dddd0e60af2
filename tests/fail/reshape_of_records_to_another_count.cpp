// SPDX-License-Identifier: BSL-1.0
// expected-first-error: error_reshape_changes_the_number_of_elements<.*shape<28, 28>, .*shape<783> *>
#include <sigma/data/transform/transforms.hpp>
using namespace sigma;
using namespace sigma::data;

Pipeline<Schema<SectionField<"inputs", Role::input, Extents<28, 28>>, SectionField<"targets", Role::target, Extents<>>>> digits;

#ifdef TWIN
auto pipeline = digits >> reshape<784>(inputs);
#else
auto pipeline = digits >> reshape<783>(inputs);
#endif
