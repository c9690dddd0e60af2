// SPDX-License-Identifier: BSL-1.0
// expected-first-error: error_permute_needs_each_axis_once<.*axes_given<2, 0, 1>, .*shape<28, 28> *>
#include <sigma/data/transform/transforms.hpp>
using namespace sigma;
using namespace sigma::data;

Pipeline<Schema<SectionField<"inputs", Role::input, Extents<28, 28>>, SectionField<"targets", Role::target, Extents<>>>> digits;

#ifdef TWIN
auto pipeline = digits >> permute<1, 0>(inputs);
#else
auto pipeline = digits >> permute<2, 0, 1>(inputs);
#endif
