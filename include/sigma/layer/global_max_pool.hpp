// SPDX-License-Identifier: BSL-1.0
#pragma once
#include <sigma/layer/context.hpp>
#include <sigma/layer/image.hpp>

namespace sigma {

/// Greatest element of each channel over the whole image, or over time: (batch, …, channels) -> (batch, channels).
struct GlobalMaxPool : Layer {
    static constexpr Text kind = "global_max_pool";

    static constexpr auto forward(auto, Context&, auto x) {
        if constexpr (x.shape.rank == 3) return max(x, axis<1>);
        else if constexpr (x.shape.rank == 4) return max(x, axes<1, 2>);
        else return detail::NeedsImages<x.shape>{};
    }
};

}  // namespace sigma
