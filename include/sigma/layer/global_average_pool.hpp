// SPDX-License-Identifier: BSL-1.0
#pragma once
#include <sigma/layer/context.hpp>
#include <sigma/layer/image.hpp>

namespace sigma {

/// Mean of each channel over the whole image, or over time: (batch, …, channels) -> (batch, channels).
struct GlobalAveragePool : Layer {
    static constexpr Text kind = "global_average_pool";

    static constexpr auto forward(auto, Context&, auto x) {
        if constexpr (x.shape.rank == 3) return mean(x, axis<1>);
        else if constexpr (x.shape.rank == 4) return mean(x, axes<1, 2>);
        else return detail::NeedsImages<x.shape>{};
    }
};

}  // namespace sigma
