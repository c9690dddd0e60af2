// SPDX-License-Identifier: BSL-1.0
// expected-first-error: error_no_such_input_to_augment<
#include <sigma/data/pipeline/typed.hpp>
#include <sigma/data/transform/augmentations.hpp>
using namespace sigma;
using namespace sigma::data;

using Digits = Schema<SectionField<"inputs", Role::input, data::Extents<8, 8>>, SectionField<"targets", Role::target, data::Extents<>>>;

void train(const DatasetOf<Digits>& training) {
#ifdef TWIN
    const auto batches = minibatches(training, 8) >> augment(inputs, shift(2)) >> prefetch(2);
    (void)batches.size;
#else
    const auto batches = minibatches(training, 8) >> augment(input<"picture">, shift(2)) >> prefetch(2);
    (void)batches.size;
#endif
}
