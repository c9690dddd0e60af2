// SPDX-License-Identifier: BSL-1.0
#pragma once
#include <sigma/core/any_function.hpp>

#include <concepts>
#include <type_traits>

namespace sigma {

namespace detail {
int run_program(const AnyFunction<int()>& program);
}

/// What `main` returns: calls a function, and says on standard error what it throws, above a status line and behind
/// all that the program has printed; then 2, which a program that ends by itself rarely says. Without it the program
/// aborts, and what it has printed last may be lost.
///
///     int main() { return run_main(run); }
///     int main() {
///         return run_main([] { … });
///     }
template <std::invocable F>
int run_main(F program) {
    static_assert(std::is_void_v<std::invoke_result_t<F&>> || std::is_convertible_v<std::invoke_result_t<F&>, int>,
                  "run_main calls a function that returns an int, as main does, or nothing");
    return detail::run_program([&]() -> int {
        if constexpr (std::is_void_v<std::invoke_result_t<F&>>) return program(), 0;
        else return program();
    });
}

}  // namespace sigma

#ifndef SIGMA_COMPILED
#include <sigma/core/impl/run_main.ipp>
#endif
