// SPDX-License-Identifier: BSL-1.0
#pragma once
#include <sigma/hook/function_of_values.hpp>
#include <sigma/hook/values.hpp>

#include <string>
#include <tuple>
#include <type_traits>
#include <utility>

namespace sigma {

namespace detail {

ActionHandle make_compute(const ValueRecord& computed, ValuesAndFunction f);

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

}  // namespace sigma

#ifndef SIGMA_COMPILED
#include <sigma/hook/impl/compute.ipp>
#endif
