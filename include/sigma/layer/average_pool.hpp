// SPDX-License-Identifier: BSL-1.0
#pragma once
#include <sigma/layer/context.hpp>
#include <sigma/layer/max_pool.hpp>

namespace sigma {

template <class>
struct error_AveragePool_has_no_such_option;

/// Mean of each window of each channel, of images or sequences as `MaxPool` takes them. Zeros of the padding count.
struct AveragePool : detail::PoolingLayer<AveragePool> {
    using PoolingLayer::PoolingLayer;
    template <class Unknown = error_AveragePool_has_no_such_option<detail::PoolingOptionNames>>
    constexpr explicit AveragePool(Sizes, ...) = delete;

    static constexpr Text kind = "average_pool";

    template <bool sequence>
    static constexpr auto pooled(auto self, auto given) {
        constexpr Sizes w = detail::pooling_window(self().window, sequence),
                        s = detail::pooling_stride(self().options.stride, w, sequence);
        constexpr detail::Padding p =
            detail::pooling_padding(self().options.padding, given.shape[1], given.shape[2], w, s, sequence);
        constexpr detail::Pooling g{{w.height, w.width}, {s.height, s.width}, {0, 0}};
        const auto x = detail::padded<p>(given);
        using Wrong = detail::PoolingMistake<g, decltype(x)::shape>;
        if constexpr (!detail::is_fine<Wrong>) return Wrong{};
        else return average_pool<g>(x);
    }
};

}  // namespace sigma
