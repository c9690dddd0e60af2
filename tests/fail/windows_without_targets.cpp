// SPDX-License-Identifier: BSL-1.0
// Which of several inputs windows foretell must be said by a section of targets.
// expected-first-error: error_windows_of_several_inputs_need_targets<sigma::(data::)?sections_are<
#include <sigma/data/reader/windows.hpp>

using namespace sigma::data;

int main() {
    const ArrayOf<Extents<3>> sun, rain;
#ifdef TWIN
    windows<12, 1>(zip(inputs = sun, targets = rain));
#else
    windows<12, 1>(zip(input<"sun"> = sun, input<"rain"> = rain));
#endif
}
