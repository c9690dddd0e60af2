// SPDX-License-Identifier: BSL-1.0
#pragma once
#include <sigma/hook/action.hpp>
#include <sigma/hook/comparison.hpp>

#include <cstddef>
#include <string>
#include <tuple>
#include <type_traits>
#include <utility>
#include <vector>

namespace sigma::detail {

template <class>
using AsDouble = double;

/// Values and a function of their numbers.
struct ValuesAndFunction {
    std::vector<ValueHandle> values{};
    AnyFunction<double(const double*)> function{};

    double operator()(const HookContext& context) const;
    void visit_values(const ValueVisitor& f);
    /// "error, accuracy, a function"
    std::string text() const;
};

/// Of values, and a function as the last, whose result, if it has one, is a number.
template <class... V, class F, std::size_t... i>
ValuesAndFunction values_and_function(F f, std::index_sequence<i...>, const V&... values) {
    static_assert(std::is_invocable_v<F&, AsDouble<V>...>,
                  "the last argument is a function of as many numbers as values come before it");
    return {{value_of(values)...}, [f = std::move(f)](const double* x) mutable -> double {
                if constexpr (std::is_void_v<std::invoke_result_t<F&, AsDouble<V>...>>) return f(x[i]...), 0.0;
                else if constexpr (std::is_convertible_v<std::invoke_result_t<F&, AsDouble<V>...>, double>)
                    return static_cast<double>(f(x[i]...));
                else return f(x[i]...), 0.0;
            }};
}
/// f(function, values…) of values and a function as the last.
template <class Make, class... A>
auto with_last_first(Make make, std::tuple<A...> all) {
    constexpr std::size_t last = sizeof...(A) - 1;
    return [&]<std::size_t... i>(std::index_sequence<i...>) {
        return make(std::get<last>(std::move(all)), std::get<i>(all)...);
    }(std::make_index_sequence<last>{});
}

}  // namespace sigma::detail

#ifndef SIGMA_COMPILED
#include <sigma/hook/impl/function_of_values.ipp>
#endif
