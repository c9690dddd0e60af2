// SPDX-License-Identifier: BSL-1.0
#pragma once
#include <sigma/tape/program.hpp>
#include <sigma/tape/tensor.hpp>

#include <cstdint>

/// Where values enter a program, and where they leave it.
namespace sigma::detail {

/// Registers `v` as a result; what enters the program, or leaves it twice, leaves it as a copy.
constexpr void add_output(Program& p, Variable v) {
    const Operation o = v.operation();
    bool own = !is_leaf(o) && o != Operation::reshape && o != Operation::stop_gradient;
    for (const Variable& other : p.outputs) own = own && !other.same(v);
    p.outputs.push(own ? v : copy(v));
}
template <Shape S>
constexpr Tensor<S> input(Program& p, int number) {
    return {{&p.tape, p.tape.leaf(Operation::input, S, static_cast<std::uint64_t>(number))}};
}

}  // namespace sigma::detail
