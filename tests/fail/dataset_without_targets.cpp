// SPDX-License-Identifier: BSL-1.0
// expected-first-error: error_dataset_needs_inputs_and_targets<.*sections_are<.*(inputs|'i', 'n', 'p')
#include <sigma/data/pipeline/dataset.hpp>
using namespace sigma;
using namespace sigma::data;

DatasetOf<Schema<data::SectionField<"inputs", Role::input, data::Extents<4>>, data::SectionField<"targets", Role::target, data::Extents<>>>> read(
    const ArrayOf<data::Extents<4>>& numbers, const ArrayOf<data::Extents<>>& labels) {
#ifdef TWIN
    return zip(inputs = numbers, targets = labels) >> dataset("numbers");
#else
    (void)labels;
    return zip(inputs = numbers) >> dataset("numbers");
#endif
}
