// SPDX-License-Identifier: BSL-1.0
#pragma once
#include <sigma/layer/context.hpp>

namespace sigma {

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
