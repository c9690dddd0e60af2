// SPDX-License-Identifier: BSL-1.0
#pragma once
#include <sigma/hook/function_of_values.hpp>

#include <tuple>
#include <utility>

namespace sigma {

namespace detail {
ActionHandle make_use(ValuesAndFunction f);
}  // namespace detail

/// Gives the numbers of values to a function; in the background too.
template <class Reads>
struct UseValues : detail::MadeAction<Reads> {
    using detail::MadeAction<Reads>::MadeAction;
};

/// `use(error, accuracy, [](double e, double a) { … })`
template <class... A>
    requires(sizeof...(A) > 1)
auto use(A... values_and_function) {
    return detail::with_last_first(
        []<class F, class... V>(F f, const V&... values) {
            return UseValues<Types<V...>>(detail::make_use(
                detail::values_and_function(std::move(f), std::index_sequence_for<V...>{}, values...)));
        },
        std::tuple<A...>(std::move(values_and_function)...));
}

}  // namespace sigma

#ifndef SIGMA_COMPILED
#include <sigma/hook/impl/use.ipp>
#endif
