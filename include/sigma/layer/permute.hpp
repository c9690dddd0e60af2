// SPDX-License-Identifier: BSL-1.0
#pragma once
#include <sigma/layer/context.hpp>
#include <sigma/layer/errors.hpp>

namespace sigma {

/// A record's axes in another order, counted as in the array, where the batch is axis 0: `Permute(2, 1)` makes
/// (batch, a, b) to (batch, b, a).
struct Permute : Layer {
    Shape order;

    template <class... Axis>
        requires(sizeof...(Axis) > 0)
    constexpr explicit Permute(Axis... axes_in_order) : order(axes_in_order...) {
        static_assert(sizeof...(axes_in_order) < detail::max_rank, "Permute: a record has at most five axes");
    }
    static constexpr Text kind = "permute";

    static constexpr bool is_permutation(const Shape& order) {
        bool seen[detail::max_rank]{};
        for (int i = 0; i < order.rank; ++i) {
            if (order[i] < 1 || order[i] > order.rank || seen[order[i] - 1]) return false;
            seen[order[i] - 1] = true;
        }
        return true;
    }
    static constexpr std::uint64_t packed(const Shape& order) {
        std::uint64_t p = 0;
        for (int i = 0; i < order.rank; ++i) p |= static_cast<std::uint64_t>(order[i]) << (4 * (i + 1));
        return p;
    }
    static constexpr auto check(auto self) {
        constexpr Shape o = self().order;
        return MistakeIf<!is_permutation(o),
                         error_Permute_needs_each_axis_from_1_once<typename detail::Spelled<o, o.rank>::type>>{};
    }
    template <Shape S>
    static constexpr auto check_input(auto self) {
        return MistakeIf<S.rank != self().order.rank + 1, error_Permute_needs_as_many_axes_as_a_record_has<
                                                              axes_given_count<self().order.rank>,
                                                              input_is<typename detail::Spelled<S, S.rank>::type>>>{};
    }
    static constexpr auto forward(auto self, Context&, auto x) {
        constexpr std::uint64_t p = packed(self().order);
        return detail::tensor<detail::permuted(x.shape, p)>(sigma::permute(x.variable, p));
    }
};

}  // namespace sigma
