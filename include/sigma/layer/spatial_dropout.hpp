// SPDX-License-Identifier: BSL-1.0
#pragma once
#include <sigma/layer/context.hpp>
#include <sigma/layer/errors.hpp>

namespace sigma {

/// Dropout that decides once for all positions along some axes of a record (Tompson et al. 2015, section 3.2). Without
/// axes, one decision holds along all but the last, so that whole features vanish; with `SpatialDropout(0.2, 2)` along
/// axis 2 (the batch is axis 0), so that of (batch, time, width) whole time steps do.
struct SpatialDropout : Layer {
    double rate;
    Shape along{};

    template <class... Axis>
    constexpr explicit SpatialDropout(double rate_, Axis... axes_shared) : rate(rate_) {
        static_assert(sizeof...(axes_shared) < detail::max_rank, "SpatialDropout: a record has at most five axes");
        ((along.extent[along.rank++] = axes_shared), ...);
    }
    static constexpr Text kind = "spatial_dropout";

    static constexpr auto check(auto self) {
        return MistakeIf<!(self().rate >= 0 && self().rate < 1),
                         error_SpatialDropout_rate_must_be_at_least_0_and_below_1<
                             in_thousandths<detail::thousandths(self().rate)>>>{};
    }
    static constexpr bool inside(const Shape& axes_shared, int rank) {
        for (int i = 0; i < axes_shared.rank; ++i)
            if (axes_shared[i] < 1 || axes_shared[i] >= rank) return false;
        return true;
    }
    template <Shape S>
    static constexpr auto check_input(auto self) {
        constexpr Shape a = self().along;
        return MistakeIf<!inside(a, S.rank), error_SpatialDropout_axes_must_be_axes_of_a_record<
                                                 typename detail::Spelled<a, a.rank>::type,
                                                 input_is<typename detail::Spelled<S, S.rank>::type>>>{};
    }
    static constexpr Shape mask_shape(Shape s, const Shape& axes_shared) {
        if (axes_shared.rank == 0)
            for (int i = 1; i < s.rank - 1; ++i) s.extent[i] = 1;
        for (int i = 0; i < axes_shared.rank; ++i) s.extent[axes_shared[i]] = 1;
        return s;
    }
    static constexpr auto forward(auto self, Context& context, auto x) {
        constexpr double rate = self().rate;
        if (!context.training() || rate == 0) return x;
        const auto kept = random_uniform<mask_shape(x.shape, self().along)>(context) >= rate;
        return where(kept, x * (1 / (1 - rate)), 0.0);
    }
};

}  // namespace sigma
