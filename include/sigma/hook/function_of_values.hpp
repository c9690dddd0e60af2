// SPDX-License-Identifier: BSL-1.0
#pragma once
#include <sigma/hook/action.hpp>

#include <tuple>
#include <utility>

namespace sigma::detail {

template <class>
using AsDouble = double;

/// Values and a function of their numbers; without values, a function of the trainer or of nothing.
template <class F, AnyValue... V>
class FunctionOfValues {
public:
    using Reads = Types<V...>;
    static constexpr bool in_background = [] {
        if constexpr (sizeof...(V) > 0) return true;  // whether F takes nothing is not asked in vain: it may be generic
        else return std::is_invocable_v<F&>;
    }();

    explicit FunctionOfValues(F f, V... values) : function_(std::move(f)), values_(std::move(values)...) {
        if constexpr (sizeof...(V) > 0)
            static_assert(std::is_invocable_v<F&, AsDouble<V>...>,
                          "the last argument is a function of as many numbers as values come before it");
    }
    void visit_values(auto f) {
        std::apply([&](auto&... v) { (f(v), ...); }, values_);
    }
    auto operator()(auto& context) {
        if constexpr (!in_background) return function_(context.trainer());
        else return std::apply([&](const auto&... v) { return function_(context.get(v)...); }, values_);
    }
    std::string text() const {
        return std::apply([](const auto&... v) { return sentence(sentence(v.text(), ", ")..., "a function"); }, values_);
    }

private:
    F function_;
    std::tuple<V...> values_;
};

/// Of values, and a function as the last.
template <class... A>
auto function_of_values(A... values_and_function) {
    std::tuple<A...> all(std::move(values_and_function)...);
    return [&]<std::size_t... i>(std::index_sequence<i...>) {
        using F = std::tuple_element_t<sizeof...(i), std::tuple<A...>>;
        return FunctionOfValues<F, std::tuple_element_t<i, std::tuple<A...>>...>(std::get<sizeof...(i)>(std::move(all)),
                                                                                std::get<i>(all)...);
    }(std::make_index_sequence<sizeof...(A) - 1>{});
}

}  // namespace sigma::detail
