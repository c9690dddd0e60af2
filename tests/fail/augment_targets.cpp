// SPDX-License-Identifier: BSL-1.0
// expected-first-error: error_only_inputs_can_be_augmented<.*section(_named)?<.*(targets|'t', 'a', 'r').*>
#include <sigma/data/transform/augmentations.hpp>
using namespace sigma;
using namespace sigma::data;

#ifdef TWIN
auto step = augment(inputs, shift(2), flip_horizontal());
#else
auto step = augment(targets, shift(2), flip_horizontal());
#endif
