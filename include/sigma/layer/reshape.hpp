// SPDX-License-Identifier: BSL-1.0
#pragma once
#include <sigma/layer/context.hpp>
#include <sigma/layer/errors.hpp>

namespace sigma {

/// One record, one row: (batch, a, b, …) becomes (batch, a·b·…).
struct Flatten : Layer {
    static constexpr Text kind = "flatten";

    static constexpr auto forward(auto, Context&, auto x) { return flatten(x); }
};

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
