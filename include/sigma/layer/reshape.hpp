// SPDX-License-Identifier: BSL-1.0
#pragma once
#include <sigma/layer/context.hpp>
#include <sigma/layer/errors.hpp>

namespace sigma {

/// Each record under another shape, its elements in the same order: `Reshape(4, 7)` makes (batch, 28) to (batch, 4, 7).
/// One extent may be -1: whatever is left.
struct Reshape : Layer {
    Shape record;

    template <class... Extents>
        requires(sizeof...(Extents) > 0)
    constexpr explicit Reshape(Extents... extents) : record(extents...) {
        static_assert(sizeof...(extents) < detail::max_rank, "Reshape: a record has at most five axes");
    }
    static constexpr Text kind = "reshape";

    static constexpr bool good(const Shape& s) {
        int open = 0;
        for (int i = 0; i < s.rank; ++i) {
            if (s[i] == 0 || s[i] < -1) return false;
            open += s[i] == -1;
        }
        return open <= 1;
    }
    static constexpr auto check(auto self) {
        constexpr Shape s = self().record;
        return MistakeIf<!good(s), error_Reshape_extents_must_be_positive_or_one_of_them_minus_1<
                                       typename detail::Spelled<s, s.rank>::type>>{};
    }
    /// The result for a record of `elements`.
    static constexpr Shape result(const Shape& record, long long elements) {
        Shape s{batch};
        s.rank = record.rank + 1;
        long long known = 1;
        for (int i = 0; i < record.rank; ++i)
            if (record[i] > 0) known *= record[i];
        for (int i = 0; i < record.rank; ++i)
            s.extent[i + 1] = record[i] > 0           ? record[i]
                              : elements % known == 0 ? static_cast<int>(elements / known)
                                                      : 0;
        return s;
    }
    template <Shape S>
    static constexpr auto check_input(auto self) {
        constexpr Shape to = self().record;
        return MistakeIf<
            result(to, S.count()).count() != S.count(),
            error_Reshape_changes_the_number_of_elements<input_is<typename detail::Spelled<S, S.rank>::type>,
                                                         record_wanted<typename detail::Spelled<to, to.rank>::type>>>{};
    }
    static constexpr auto forward(auto self, Context&, auto x) {
        constexpr Shape s = result(self().record, x.shape.count());
        return detail::tensor<s>(sigma::reshape(x.variable, s));
    }
};

}  // namespace sigma
