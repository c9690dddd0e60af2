// SPDX-License-Identifier: BSL-1.0
#pragma once
/// @file
/// Layers that change the shape of records: Flatten, Reshape, Permute. Included by `<sigma/sigma.hpp>`.
#include <sigma/layer/context.hpp>

namespace sigma {

inline constexpr Given::Label record_wanted{"wanted record"};
inline constexpr Fault error_Reshape_extents_must_be_positive_or_one_of_them_minus_1{
    "Reshape: extents must be positive, or one of them -1"},
    error_Permute_needs_each_axis_from_1_once{"Permute needs each axis from 1 once"},
    error_Permute_needs_as_many_axes_as_a_record_has{"Permute needs as many axes as a record has"};

/// A layer that makes one axis of all axes of a record. `Dense` does it by itself.
///
/// @par Shape
/// Input (batch, a, b, …). Output (batch, a·b·…).
///
/// @par Example
/// @code
/// struct Flat : Network<Input(28, 28) + Flatten() + Linear(10) + SoftmaxCE()> {};
/// @endcode
///
/// @see Reshape
struct Flatten : Layer {
    /// @cond internal
    static constexpr Text kind = "flatten";

    constexpr Tensor forward(Context&, Tensor x) const { return flatten(x); }
    /// @endcond
};

/// A layer that gives each record another shape. The elements keep their order.
///
/// @par Shape
/// Input (batch, …). Output (batch, extents…), of as many elements.
///
/// @par Errors
/// `error_Reshape_extents_must_be_positive_or_one_of_them_minus_1`, `error_Reshape_changes_the_number_of_elements`.
/// A compile-time network does not compile; a run-time network throws MistakeError.
///
/// @par Example
/// @code
/// struct Rows : Network<Input(784) + Reshape(28, -1) + Conv1D(8, 3) + Dense(10) + SoftmaxCE()> {};
/// @endcode
///
/// @see Flatten, Permute
struct Reshape : Layer {
    /// @cond internal
    detail::NamedShape extents;  ///< Shape of a record of the output, without the batch.
    /// @endcond

    /// Constructs the layer.
    /// @param extents_  one to five extents of a record of the output. One may be -1: the rest. May be named sizes.
    template <class... Extents>
        requires(sizeof...(Extents) > 0)
    constexpr explicit Reshape(Extents... extents_) : extents(extents_...) {
        static_assert(sizeof...(extents_) < detail::max_rank, "Reshape: a record has at most five axes");
    }

    /// @cond internal
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
    /// @endcond

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
    /// Returns the shape of the output for a record of `elements`.
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

/// A layer that puts the axes of a record in another order.
///
/// @par Shape
/// Input (batch, …). Output: axis i is axis `order[i - 1]` of the input. `Permute(2, 1)` makes (batch, b, a) of
/// (batch, a, b).
///
/// @par Errors
/// `error_Permute_needs_each_axis_from_1_once`, `error_Permute_needs_as_many_axes_as_a_record_has`.
/// A compile-time network does not compile; a run-time network throws MistakeError.
///
/// @par Example
/// @code
/// struct Turned : Network<Input(28, 20) + Permute(2, 1) + Linear(10) + SoftmaxCE()> {};
/// @endcode
///
/// @see Reshape
struct Permute : Layer {
    Shape order;  ///< Axes of the input in the order of the output. The batch is axis 0 and not among them.

    /// Constructs the layer.
    /// @param order_  axes of the input, from 1, in the order of the output; each once
    template <class... Axis>
        requires(sizeof...(Axis) > 0)
    constexpr explicit Permute(Axis... order_) : order(order_...) {
        static_assert(sizeof...(order_) < detail::max_rank, "Permute: a record has at most five axes");
    }

    /// @cond internal
    static constexpr Text kind = "permute";

    constexpr Tensor forward(Context&, Tensor x) const {
        if (!detail::each_axis_once(order.inserted(0, 0), order.rank + 1))
            return x.refused(error_Permute_needs_each_axis_from_1_once, {axes_are, order});
        if (x.shape().rank != order.rank + 1)
            return x.refused(error_Permute_needs_as_many_axes_as_a_record_has, {axes_are, order},
                             {input_is, x.shape()});
        return permute(x, order.inserted(0, 0));
    }
    /// @endcond
};

}  // namespace sigma
