// SPDX-License-Identifier: BSL-1.0
#pragma once
#include <sigma/layer/recurrent_options.hpp>

namespace sigma {

/// A recurrent layer twice, once in each direction, with parameters of their own; the results stand side by side:
/// (batch, time, 2·units), or (batch, 2·units) for a layer that gives its last state.
template <class L>
    requires detail::is_recurrent<L>
struct Bidirectional : Layer {
    L layer;

    constexpr explicit Bidirectional(L l) : layer(l) {}

    static constexpr Text kind = "bidirectional";

    constexpr L directed(bool backwards) const {
        L l = layer;
        l.options.backwards = backwards;
        return l;
    }
    static constexpr auto check(auto self) { return L::check(detail::Self<self().layer>{}); }
    template <Shape S, class... Mask>
        requires(S.rank == 3)
    static constexpr auto forward(auto self, Context& context, Tensor<S> x, Mask... mask) {
        const auto ahead = inner<self().directed(false)>(context, "forwards", x, mask...);
        const auto back = inner<self().directed(true)>(context, "backwards", x, mask...);
        return concatenate<-1>(ahead, back);
    }
};

}  // namespace sigma
