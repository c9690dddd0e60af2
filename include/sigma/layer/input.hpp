// SPDX-License-Identifier: BSL-1.0
#pragma once
#include <sigma/layer/context.hpp>
#include <sigma/layer/errors.hpp>

namespace sigma {

/// What a record looks like: `Input(28, 28)` takes arrays of shape (batch, 28, 28). First layer of every network.
struct Input : Layer {
    Shape record;

    template <class... Extents>
    constexpr explicit Input(Extents... extents) : record(extents...) {
        static_assert(sizeof...(extents) < detail::max_rank, "Input: a record has at most five axes");
    }
    static constexpr Text kind = "input";

    static constexpr bool positive(const Shape& s) {
        for (int i = 0; i < s.rank; ++i)
            if (s[i] < 1) return false;
        return true;
    }
    static constexpr auto check(auto self) {
        constexpr Shape s = self().record;
        if constexpr (s.rank == 0) return Mistake<error_Input_needs_at_least_one_extent<extents_given<0>>>{};
        else if constexpr (!positive(s))
            return Mistake<error_Input_extents_must_be_positive<typename detail::Spelled<s, s.rank>::type>>{};
        else return Mistake<>{};
    }
    static constexpr auto forward(auto self, Context& context) { return context.next_input<self().batched()>(); }

    constexpr Shape batched() const {
        Shape s;
        s.rank = record.rank + 1;
        s.extent[0] = batch;
        for (int i = 0; i < record.rank; ++i) s.extent[i + 1] = record[i];
        return s;
    }
};

}  // namespace sigma
