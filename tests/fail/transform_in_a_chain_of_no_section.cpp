// SPDX-License-Identifier: BSL-1.0
// expected-first-error: error_no_such_section<.*section(_named)?<.*(label|'l', 'a', 'b').*> *, .*sections_are<.*
#include <sigma/data/transform/transforms.hpp>
using namespace sigma;
using namespace sigma::data;

Pipeline<Schema<SectionField<"inputs", Role::input, Extents<28, 28>>, SectionField<"targets", Role::target, Extents<>>>> digits;

#ifdef TWIN
auto pipeline = digits >> (normalize(inputs, 0, 255) >> one_hot<10>(targets));
#else
auto pipeline = digits >> (normalize(inputs, 0, 255) >> one_hot<10>(target<"label">));
#endif
