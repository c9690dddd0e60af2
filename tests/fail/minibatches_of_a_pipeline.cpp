// SPDX-License-Identifier: BSL-1.0
// expected-first-error: error_minibatches_need_a_dataset<
#include <sigma/data/data.hpp>
#include <sigma/data/pipeline/typed.hpp>
using namespace sigma;
using namespace sigma::data;

using Iris = Schema<SectionField<"inputs", Role::input, data::Extents<4>>, SectionField<"targets", Role::target, data::Extents<>>>;

void train(const Pipeline<Iris>& pipeline) {
#ifdef TWIN
    const auto batches = minibatches(pipeline >> dataset("iris"), 8);
    (void)batches.size;
#else
    const auto batches = minibatches(pipeline, 8);
    (void)batches.size;
#endif
}
