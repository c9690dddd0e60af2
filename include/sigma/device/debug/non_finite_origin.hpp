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

/// The first element of a program that is where the finite numbers were left.
struct NonFiniteOrigin {
    int node = -1;
    std::string operation;                ///< "exp", "dot"
    std::vector<long long> shape, index;  ///< of the result, with the number of records; where in it
    long long record = -1;                ///< which record it belongs to, or -1
    int position = -1;                    ///< in time, inside a loop, or -1
    double value = 0;                     ///< NaN or an infinity
    std::vector<double> operands;         ///< elementwise operations: what it was computed from

    /// "exp of shape (4, 3) gave inf at record 2, element (1), from 710"
    std::string text;
};

/// Called with a program, the number of its step and where it first left the finite numbers; it throws.
using Report = detail::AnyFunction<void(const sigma::detail::Program&, std::uint64_t step, const NonFiniteOrigin&)>;

}  // namespace sigma::debugging
