// SPDX-License-Identifier: BSL-1.0
#pragma once
/// @file
/// Ends of a network: Input, NoLoss. Included by `<sigma/sigma.hpp>`.
#include <sigma/layer/context.hpp>

namespace sigma {

inline constexpr Given::Label record_given{"extents", true};
inline constexpr Fault error_Input_needs_at_least_one_extent{"Input needs at least one extent"},
    error_Input_extents_must_be_positive{"Input: extents must be positive"},
    error_Input_is_only_allowed_first{"Input is only allowed first"};

/// The shape of a record: the first layer of every network.
///
/// Arrays have the batch as axis 0: `Input(28, 28)` accepts arrays of shape (batch, 28, 28).
///
/// @par Shape
/// Output (batch, extents…).
///
/// @par Errors
/// `error_Input_needs_at_least_one_extent`, `error_Input_extents_must_be_positive`,
/// `error_Input_is_only_allowed_first`.
/// A compile-time network does not compile; a run-time network throws MistakeError.
///
/// @par Example
/// @code
/// struct Small : Network<Input(28, 28) + Dense(10) + SoftmaxCE()> {};
/// @endcode
///
/// @see docs/networks.md (several inputs)
struct Input : Layer, detail::Combinator {
    /// @cond internal
    detail::NamedShape extents;  ///< Shape of a record, without the batch.
    /// @endcond

    /// Constructs the layer.
    /// @param extents_  one to five extents of a record, each at least 1. May be named sizes, `dim<"width">`.
    template <class... Extents>
    constexpr explicit Input(Extents... extents_) : extents(extents_...) {
        static_assert(sizeof...(extents_) < detail::max_rank, "Input: a record has at most five axes");
    }

    /// @cond internal
    static constexpr Text kind = "input";

    constexpr void trace(Context& context, detail::Flow& x) const {
        const bool first = x.size() == 0 && context.losses.empty();
        context.begin_layer(kind, context.tape->size() + 1);  // the leaf of the input comes first
        if (!first) return context.refuse(error_Input_is_only_allowed_first);
        const Shape record = context.numbers_of(extents);
        if (record.rank == 0) return context.refuse(error_Input_needs_at_least_one_extent);
        for (int i = 0; i < record.rank; ++i)
            if (record[i] < 1) return context.refuse(error_Input_extents_must_be_positive, {record_given, record});
        const auto number = static_cast<std::uint64_t>(context.inputs.size());
        const int leaf = context.tape->leaf(detail::Operation::input, record.inserted(0, batch), number);
        context.inputs.push({context.tape, leaf});
        x = Tensor{{context.tape, leaf}};
        context.end_layer(x);
    }
    constexpr void each_loss(auto) const {}
    /// @endcond
};

/// The end of a network that only predicts, or of a branch of Costs. It has no targets and a loss of 0.
///
/// A network without a loss, `Network<Input(4) + Dense(3)>`, ends with this layer. Predictions are its input.
///
/// @par Shape
/// Input (batch, …). Predictions: the same shape.
///
/// @par Example
/// @code
/// struct Plain : Network<Input(4) + Dense(3)> {};
/// Model<Plain> plain(42);
/// @endcode
struct NoLoss : Loss {
    /// @cond internal
    static constexpr Text kind = "output";
    static constexpr bool classifies = false, judges = false;

    constexpr Shape target(const Shape& output) const { return output; }
    constexpr Tensor predict(Tensor z) const { return z; }
    constexpr Tensor loss(Tensor z, Tensor) const { return {constant(z.variable.tape, 0)}; }
    /// @endcond
};

}  // namespace sigma
