// SPDX-License-Identifier: BSL-1.0
#pragma once
#include <sigma/core/any_function.hpp>

#include <cstdint>
#include <string>
#include <vector>

namespace sigma::detail {
struct Program;
}  // namespace sigma::detail

namespace sigma::debugging {

/// The origin of a NaN or an infinity: the first element of a program that is not finite although its operands are.
/// @see OperationError
struct NonFiniteOrigin {
    int node = -1;                        ///< The number of the operation in the program.
    std::string operation;                ///< The operation, such as "exp" or "dot".
    std::vector<long long> shape, index;  ///< The shape of the result, including records, and the indices in it.
    long long record = -1;                ///< The record that the element belongs to, or -1.
    int position = -1;                    ///< The position in time inside a loop, or -1.
    double value = 0;                     ///< NaN or an infinity.
    std::vector<double> operands;         ///< The operands of the element, for elementwise operations.

    std::string text;  ///< A summary: "exp of shape (4, 3) gave inf at record 2, element (1), from 710".
};

/// A function that reports an origin by throwing. It is called with the program, the number of the step and the origin.
using Report = detail::AnyFunction<void(const sigma::detail::Program&, std::uint64_t step, const NonFiniteOrigin&)>;

}  // namespace sigma::debugging
