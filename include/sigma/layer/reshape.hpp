// SPDX-License-Identifier: BSL-1.0
#pragma once
#include <sigma/layer/context.hpp>

namespace sigma {

inline constexpr Given::Label record_wanted{"wanted record"};
inline constexpr Fault error_Reshape_extents_must_be_positive_or_one_of_them_minus_1{
    "Reshape: extents must be positive, or one of them -1"},
    error_Permute_needs_each_axis_from_1_once{"Permute needs each axis from 1 once"},
    error_Permute_needs_as_many_axes_as_a_record_has{"Permute needs as many axes as a record has"};

/// One record, one row: (batch, a, b, …) becomes (batch, a·b·…).
struct Flatten : Layer {
    static constexpr Text kind = "flatten";

    constexpr Tensor forward(Context&, Tensor x) const { return flatten(x); }
};

/// Each record under another shape, its elements in the same order: `Reshape(4, 7)` makes (batch, 28) to (batch, 4, 7).
/// One extent may be -1: whatever is left.
struct Reshape : Layer {
    detail::NamedShape extents;

    template <class... Extents>
        requires(sizeof...(Extents) > 0)
    constexpr explicit Reshape(Extents... of_a_record) : extents(of_a_record...) {
        static_assert(sizeof...(of_a_record) < detail::max_rank, "Reshape: a record has at most five axes");
    }
    static constexpr Text kind = "reshape";
    static constexpr void each_size(auto& self, auto f) { f(self.extents); }

    constexpr Tensor forward(Context&, Tensor x) const {
        const Shape& record = extents.numbers;
        if (!good())
            return x.refused(error_Reshape_extents_must_be_positive_or_one_of_them_minus_1, {record_wanted, record});
        const Shape s = result(x.shape().count());
        if (s.count() != x.shape().count())
            return x.refused(error_Reshape_changes_the_number_of_elements, {input_is, x.shape()},
                             {record_wanted, record});
        return reshape(x, s);
    }

private:
    constexpr bool good() const {
        const Shape& record = extents.numbers;
        int open = 0;
        for (int i = 0; i < record.rank; ++i) {
            if (record[i] == 0 || record[i] < -1) return false;
            open += record[i] == -1;
        }
        return open <= 1;
    }
    /// The result for a record of `elements`.
    constexpr Shape result(long long elements) const {
        const Shape& record = extents.numbers;
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

    constexpr Tensor forward(Context&, Tensor x) const {
        if (!detail::each_axis_once(order.inserted(0, 0), order.rank + 1))
            return x.refused(error_Permute_needs_each_axis_from_1_once, {axes_are, order});
        if (x.shape().rank != order.rank + 1)
            return x.refused(error_Permute_needs_as_many_axes_as_a_record_has, {axes_are, order},
                             {input_is, x.shape()});
        return permute(x, order.inserted(0, 0));
    }
};

}  // namespace sigma
