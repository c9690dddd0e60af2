// SPDX-License-Identifier: BSL-1.0
#pragma once
#include <sigma/layer/context.hpp>

namespace sigma {

/// One record, one row: (batch, a, b, …) becomes (batch, a·b·…).
struct Flatten : Layer {
    static constexpr Text kind = "flatten";

    static constexpr auto forward(auto, Context&, auto x) { return flatten(x); }
};

}  // namespace sigma
