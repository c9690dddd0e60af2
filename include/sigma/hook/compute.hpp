// SPDX-License-Identifier: BSL-1.0
#pragma once
#include <sigma/hook/action.hpp>
#include <sigma/hook/criterion.hpp>
#include <sigma/hook/words.hpp>

#include <cstddef>
#include <string>
#include <tuple>
#include <type_traits>
#include <utility>
#include <vector>

namespace sigma {

namespace detail {

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

ActionHandle make_compute(const ValueRecord& computed, ValuesAndFunction f);
ActionHandle make_use(ValuesAndFunction f);

/// Computes `value<key>` from other values.
template <Text key, class Reads>
struct Compute : detail::MadeAction<Reads, Types<Computed<key>>> {
    using detail::MadeAction<Reads, Types<Computed<key>>>::MadeAction;
};
/// Computes it by a function of the trainer.
template <Text key, class F>
class ComputeOfTrainer : public Action<ComputeOfTrainer<key, F>> {
public:
    using Writes = Types<Computed<key>>;
    static constexpr bool in_background = false;

    explicit ComputeOfTrainer(F f) : function_(std::move(f)) {}
    void run(auto& context) {
        context.template publish<Computed<key>>(static_cast<double>(function_(context.trainer())));
    }
    std::string text() const { return sentence("compute<\"", key.view(), "\">(a function)"); }

private:
    F function_;
};

}  // namespace detail

/// Computes what `value<"name">` reads: `compute<"norm">([](auto& trainer) { return …; })`, in the foreground only, or
/// of other values, `compute<"gap">(error, validation_error, [](double e, double v) { return v - e; })`, anywhere.
template <Text key, class... A>
    requires(sizeof...(A) > 0)
auto compute(A... values_and_function) {
    return detail::with_last_first(
        []<class F, class... V>(F f, const V&... values) {
            constexpr bool of_trainer = [] {
                if constexpr (sizeof...(V) > 0)
                    return false;  // whether F takes nothing is not asked in vain: it may be generic
                else return !std::is_invocable_v<F&>;
            }();
            if constexpr (!of_trainer)
                return detail::Compute<key, Types<V...>>(detail::make_compute(
                    detail::value_record<Computed<key>>,
                    detail::values_and_function(std::move(f), std::index_sequence_for<V...>{}, values...)));
            else return detail::ComputeOfTrainer<key, F>(std::move(f));
        },
        std::tuple<A...>(std::move(values_and_function)...));
}

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
#include <sigma/hook/impl/compute.ipp>
#endif
