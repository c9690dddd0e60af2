// SPDX-License-Identifier: BSL-1.0
#pragma once

#include <sigma/core/config.hpp>
#include <sigma/execution/check_data.hpp>
#include <sigma/execution/named_sizes.hpp>
#include <sigma/network/facts.hpp>

namespace sigma::detail {

SIGMA_IMPL void take_sizes(SizeBinding& sizes, const NetworkTable& known, const Dataset& data) {
    const int inputs = known.inputs.size(), costs = known.costs.size();
    const std::string who = sentence("dataset '", data.name(), "'");
    const std::vector<std::size_t> from = arrays_of(known, data);
    const auto take = [&](const std::string& what, const auto& shape_in, std::span<const std::size_t> found) {
        const Shape wanted = shape_in(sizes.example());
        const bool number = found.empty() && wanted.rank == 2;  // one number a record
        if (!number && found.size() + 1 != static_cast<std::size_t>(wanted.rank))
            throw ShapeError(sentence(what, " of ", who), sentence("records with ", wanted.rank - 1, " axes"),
                             sentence("shape ", shape_text(found)));
        for (int axis = 1; axis < wanted.rank; ++axis)
            sizes.found([&shape_in, axis](const NetworkFacts& f) { return shape_in(f)[axis]; },
                        number ? 1 : static_cast<long long>(found[static_cast<std::size_t>(axis - 1)]), who);
    };
    for (int i = 0; i < inputs; ++i)
        take(
            "inputs", [i](const NetworkFacts& f) { return f.inputs[i]; },
            data.input_shape(from[static_cast<std::size_t>(i)]));
    int classifying = 0;
    for (int i = 0; i < costs; ++i) {
        const CostRecord& cost = known.costs[i];
        take(
            "targets", [i](const NetworkFacts& f) { return f.costs[i].target; },
            data.target_shape(from[static_cast<std::size_t>(inputs + i)]));
        // Data have class names for one column of targets: that of the first cost that classifies.
        if (cost.classifies && classifying++ == 0 && !data.classes().empty())
            sizes.found([i](const NetworkFacts& f) { return f.costs[i].output.last(); },
                        static_cast<long long>(data.classes().size()), who);
    }
}

}  // namespace sigma::detail
