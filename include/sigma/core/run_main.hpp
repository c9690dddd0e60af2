// SPDX-License-Identifier: BSL-1.0
#pragma once
/// @file
/// A function that reports exceptions of a program: run_main. Included by `<sigma/sigma.hpp>`.
#include <sigma/core/any_function.hpp>

#include <concepts>
#include <type_traits>

namespace sigma {

namespace detail {
int run_program(const AnyFunction<int()>& program);
}

/// Calls a function and prints the text of an exception that it throws. Return its result from `main`.
///
/// The text goes to standard error, after everything that the program has printed to standard output. Without
/// `run_main` an exception aborts the program, and its last output may be lost.
///
/// @param program  function without parameters that returns an `int`, as `main` does, or nothing
/// @return the result of the function, 0 if it returns nothing, or 2 if it throws
///
/// @par Example
/// @code{.txt}
/// int main() {
///     return sigma::run_main([] {
///         // your program
///     });
/// }
/// @endcode
///
/// @see Error
template <std::invocable F>
int run_main(F program) {
    static_assert(std::is_void_v<std::invoke_result_t<F&>> || std::is_convertible_v<std::invoke_result_t<F&>, int>,
                  "run_main: the function must return an int, as main does, or nothing");
    return detail::run_program([&]() -> int {
        if constexpr (std::is_void_v<std::invoke_result_t<F&>>) return program(), 0;
        else return program();
    });
}

}  // namespace sigma

#ifndef SIGMA_COMPILED
#include <sigma/core/impl/run_main.ipp>
#endif
