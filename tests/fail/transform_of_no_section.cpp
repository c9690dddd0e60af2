// SPDX-License-Identifier: BSL-1.0
// expected-first-error: error_no_such_section<.*section(_named)?<.*(image|'i', 'm', 'a').*> *, .*sections_are<.*(inputs|'i', 'n', 'p').*(targets|'t', 'a', 'r').*> *>
#include <sigma/data/transform/transforms.hpp>
using namespace sigma;
using namespace sigma::data;

Pipeline<Schema<SectionField<"inputs", Role::input, Extents<28, 28>>, SectionField<"targets", Role::target, Extents<>>>> digits;

#ifdef TWIN
auto pipeline = digits >> standardize(inputs);
#else
auto pipeline = digits >> standardize(input<"image">);
#endif
