// SPDX-License-Identifier: BSL-1.0
#pragma once
/// @file
/// Actions that call a function of numbers: `compute` and `use`. Included by `<sigma/sigma.hpp>`.
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

/// Values, and a function of their numbers.
struct ValuesAndFunction {
    std::vector<ValueHandle> values{};
    AnyFunction<double(const double*)> function{};

    double operator()(const HookContext& context) const;
    void visit_values(const ValueVisitor& f);
    /// Returns the arguments as text, such as "error, accuracy, a function".
    std::string text() const;
};

/// Makes a ValuesAndFunction of a function and of values. A result of the function is converted to double if possible.
template <class... V, class F, std::size_t... i>
ValuesAndFunction values_and_function(F f, std::index_sequence<i...>, const V&... values) {
    static_assert(std::is_invocable_v<F&, AsDouble<V>...>,
                  "the last argument must be a function of as many numbers as there are values before it");
    return {{value_of(values)...}, [f = std::move(f)](const double* x) mutable -> double {
                if constexpr (std::is_void_v<std::invoke_result_t<F&, AsDouble<V>...>>) return f(x[i]...), 0.0;
                else if constexpr (std::is_convertible_v<std::invoke_result_t<F&, AsDouble<V>...>, double>)
                    return static_cast<double>(f(x[i]...));
                else return f(x[i]...), 0.0;
            }};
}
/// Returns make(function, values…) for values and a function as the last element.
template <class Make, class... A>
auto with_last_first(Make make, std::tuple<A...> all) {
    constexpr std::size_t last = sizeof...(A) - 1;
    return [&]<std::size_t... i>(std::index_sequence<i...>) {
        return make(std::get<last>(std::move(all)), std::get<i>(all)...);
    }(std::make_index_sequence<last>{});
}

ActionHandle make_compute(const ValueRecord& computed, ValuesAndFunction f);
ActionHandle make_use(ValuesAndFunction f);

/// The action of `compute` on values: computes `value<key>`.
template <Text key, class Reads>
struct Compute : detail::MadeAction<Reads, Types<Computed<key>>> {
    using detail::MadeAction<Reads, Types<Computed<key>>>::MadeAction;
};
/// The action of `compute` on a function of the trainer: computes `value<key>`.
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

/// Returns an action that computes `value<key>` with a function.
///
/// The function takes the trainer, `compute<"norm">([](auto& trainer) { … })`, or the numbers of the values before it,
/// in the same order. Its result is converted to `double`.
/// @tparam key                  name of the number that is computed
/// @param values_and_function  any number of values, then the function
/// @return the action, for `then`
///
/// @par Background
/// Can run in the background if the function takes values or nothing. Cannot if it takes the trainer, because that may
/// change while the function runs.
///
/// @par Example
/// @code
/// trainer.add(every(1, epoch).then(score(testing), compute<"gap">(error, validation_error, [](double e, double v) {
///     return v - e;
/// })));
/// trainer.add(when(value<"gap">.exceeds(0.5)).then(stop));
/// @endcode
///
/// @see value, use
template <Text key, class... A>
    requires(sizeof...(A) > 0)
auto compute(A... values_and_function) {
    return detail::with_last_first(
        []<class F, class... V>(F f, const V&... values) {
            constexpr bool of_trainer = [] {
                if constexpr (sizeof...(V) > 0)
                    return false;  // testing a generic function without arguments would instantiate it
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

/// The action of `use`.
///
/// @tparam Reads  the values that the function takes
///
/// @see use
template <class Reads>
struct UseValues : detail::MadeAction<Reads> {
    /// @cond internal
    using detail::MadeAction<Reads>::MadeAction;
    /// @endcond
};

/// Returns an action that calls a function with the numbers of values.
/// @param values_and_function  one or more values, then a function of as many `double`
/// @return the action, for `then`
///
/// @par Background
/// Can run in the background. The function is then called on the hook's thread.
///
/// @par Example
/// @code
/// trainer.add(every(1, epoch).then(use(epoch, error, [](double n, double e) { std::printf("%g %g\n", n, e); })));
/// @endcode
///
/// @see report, compute
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
