// SPDX-License-Identifier: BSL-1.0
#pragma once

#include <sigma/core/config.hpp>
#include <sigma/execution/batch_buffers.hpp>
#include <sigma/execution/check_gradients.hpp>
#include <sigma/network/parameter_rows.hpp>

#include <algorithm>
#include <string>

namespace sigma::detail {

SIGMA_IMPL GradientReport check_gradients_of(ModelStore<double>& twin, const CompiledProgram<double>& gradients,
                                             const CompiledProgram<double>& loss, const Dataset& data,
                                             const GradientCheckOptions& options) {
    if (options.records < 1) throw ArgumentError("check_gradients", "1 record or more", sentence(options.records));
    const std::size_t count = std::min(data.size(), static_cast<std::size_t>(options.records));
    std::vector<std::size_t> positions(count);
    for (std::size_t i = 0; i < count; ++i) positions[i] = i * data.size() / count;
    BatchBuffers<double> gathered;
    gathered.bind(twin.network(), data, count);
    gathered.gather(data, positions);
    const auto records = static_cast<std::ptrdiff_t>(count);

    Observation<double> found(twin, gradients, to_find_gradients), seen(twin, loss, to_see_the_loss);
    found.run(gathered.inputs(), gathered.targets(), records);
    std::vector<CheckedTensor> tensors;
    for (int i = 0; i < twin.network().parameters.size(); ++i) {
        const ParameterRecord& r = twin.network().parameters[i];
        if (!r.trained) continue;
        std::vector<std::size_t> extents;
        for (int k = 0; k < r.shape.rank; ++k) extents.push_back(static_cast<std::size_t>(r.shape[k]));
        tensors.push_back({std::string(r.name.view()), std::move(extents), twin.parameter_data(i),
                           static_cast<std::size_t>(twin.pitch(i)), found.values(i)});
    }
    return compare_gradients(
        tensors,
        [&] {
            seen.run(gathered.inputs(), gathered.targets(), records);
            return seen.loss();
        },
        options);
}

}  // namespace sigma::detail
