// SPDX-License-Identifier: BSL-1.0
#pragma once
#include <sigma/layer/context.hpp>

namespace sigma {

inline constexpr Given::Label record_given{"extents", true};
inline constexpr Fault error_Input_needs_at_least_one_extent{"Input needs at least one extent"},
    error_Input_extents_must_be_positive{"Input: extents must be positive"},
    error_Input_is_only_allowed_first{"Input is only allowed first"};

/// What a record looks like: `Input(28, 28)` takes arrays of shape (batch, 28, 28). First layer of every network.
struct Input : Layer, detail::Combinator {
    detail::NamedShape extents;

    template <class... Extents>
    constexpr explicit Input(Extents... of_a_record) : extents(of_a_record...) {
        static_assert(sizeof...(of_a_record) < detail::max_rank, "Input: a record has at most five axes");
    }
    static constexpr Text kind = "input";

    constexpr void trace(Context& context, detail::Flow& x) const {
        const bool first = x.size() == 0 && context.losses.empty();
        context.begin_layer(kind, context.tape->size() + 1);  // what comes from outside is there before
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
};

/// The end of a network that only predicts, or of a branch of Costs: what arrives there, (batch, …), is what the
/// network says. It judges nothing. `Network<Input(4) + Dense(3)>`, which has no loss, ends with one by itself.
struct NoLoss : Loss {
    static constexpr Text kind = "output";
    static constexpr bool classifies = false, judges = false;

    constexpr Shape target(const Shape& output) const { return output; }
    constexpr Tensor predict(Tensor z) const { return z; }
    constexpr Tensor loss(Tensor z, Tensor) const { return {constant(z.variable.tape, 0)}; }
};

}  // namespace sigma
