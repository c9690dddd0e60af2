// SPDX-License-Identifier: BSL-1.0
#pragma once
#include <sigma/layer/context.hpp>
#include <sigma/layer/max_pool.hpp>

namespace sigma {

/// Mean of each window of each channel, of images or sequences as `MaxPool` takes them. Zeros of the padding count.
struct AveragePool : Layer {
    Sizes window;
    PoolingOptions options{};

    constexpr explicit AveragePool(Sizes w, PoolingOptions o = {}) : window(w), options(o) {}

    static constexpr Text kind = "average_pool";

    static constexpr auto check(auto self) { return detail::check_pooling<self().window, self().options>(); }
    static constexpr auto forward(auto self, Context&, auto x) {
        if constexpr (x.shape.rank == 3 && !self().options.padding.along_time()) {
            return detail::PaddingHasRows<self().options.padding>{};
        } else if constexpr (x.shape.rank == 3) {
            const auto y = pooled<true>(self, detail::as_image(x));
            if constexpr (requires { y.variable; }) return detail::as_sequence(y);
            else return y;
        } else if constexpr (x.shape.rank == 4) {
            return pooled<false>(self, x);
        } else {
            return detail::NeedsImages<x.shape>{};
        }
    }

private:
    template <bool sequence>
    static constexpr auto pooled(auto self, auto given) {
        constexpr Sizes w = detail::pooling_window(self().window, sequence),
                        s = detail::pooling_stride(self().options.stride, w, sequence);
        constexpr Padding p =
            detail::pooling_padding(self().options.padding, given.shape[1], given.shape[2], w, s, sequence);
        constexpr Pooling g{{w.height, w.width}, {s.height, s.width}, {0, 0}};
        const auto x = detail::padded<p>(given);
        using Mistake = typename detail::PoolingMistake<g, decltype(x)::shape>::type;
        if constexpr (!std::is_void_v<Mistake>) return Verdict<Mistake>{};
        else return average_pool<g>(x);
    }
};

}  // namespace sigma
