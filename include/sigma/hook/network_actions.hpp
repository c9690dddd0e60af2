// SPDX-License-Identifier: BSL-1.0
#pragma once
/// @file
/// Actions that evaluate the network: `maximise`, `pass`. Included by `<sigma/sigma.hpp>`.
#include <sigma/core/owners.hpp>
#include <sigma/execution/maximise.hpp>
#include <sigma/hook/action.hpp>
#include <sigma/network/model.hpp>

#include <tuple>

namespace sigma {

/// The action of `maximise(target, function)`.
///
/// @tparam cost  number of the output, from 0
/// @tparam Y     type of the target
/// @tparam F     type of the function
///
/// @par Background
/// Can run in the background, on a copy of the parameters.
///
/// @see maximise
template <int cost, detail::MaximiseTarget Y, class F>
class MaximiseOutput : public Action<MaximiseOutput<cost, Y, F>> {
public:
    /// @cond internal
    static constexpr Needs needs = Needs::parameters;

    MaximiseOutput(Y target, MaximiseOptions options, F function)
        : target_(std::move(target)), options_(options), function_(std::move(function)) {
        detail::check_maximise_options(options_);
    }
    void run(auto& context) { search(context.model(), context); }
    void restart(auto& context) const { target_of(context.model()); }  // checks it
    std::string text() const {
        if constexpr (requires { function_.text(text_of_target()); }) return function_.text(text_of_target());
        else
            return sentence("maximise", cost > 0 ? sentence("<", cost, ">") : "", "(", text_of_target(),
                            ", a function)");
    }
    /// @endcond

private:
    Y target_;
    MaximiseOptions options_;
    F function_;

    std::string text_of_target() const {
        if constexpr (std::integral<Y>) return sentence(target_);
        else return "an array";
    }
    template <class N, class T>
        requires Model<N, T>::of_one_input
    std::vector<T> target_of(const Model<N, T>& model) const {
        return detail::maximise_target<cost>(model, target_);
    }
    template <class N, class T>
        requires(!Model<N, T>::of_one_input)
    error_maximise_needs_a_network_with_one_input<N, N::input_count> target_of(const Model<N, T>&) const;

    template <class N, class T>
    void search(Model<N, T>& model, auto& context) {
        const Maximised<T> found =
            detail::search_input<cost>(model, target_of(model), options_, [&] { return context.expired(); });
        if constexpr (std::is_invocable_v<F&, const Maximised<T>&>) function_(found);
        else function_(found, context);
    }
};

/// Returns an action that finds the input for which the network's prediction is closest to a target.
///
/// The search is that of `maximise(model, target)`, with the parameters at the time of the firing. A time limit of the
/// hook ends it.
///
/// `add` throws ArgumentError or ShapeError if the target does not fit the network. The action does not compile for a
/// network with several inputs.
/// @tparam cost     number of the output, from 0 (default: the first)
/// @param target    number of a class, or an array of the shape of one prediction
/// @param function  function of a Maximised, or of a Maximised and the context of the hook
/// @return the action, for `then`
///
/// @par Background
/// Can run in the background, on a copy of the parameters. The function is then called on the hook's thread.
///
/// @par Example
/// @code
/// trainer.add(every(5, epoch).then(maximise(7, [](const auto& found) { std::printf("%g\n", found.cost); })));
/// @endcode
///
/// @see MaximiseOptions, Maximised, pass
template <int cost = 0, detail::MaximiseTarget Y, class F>
    requires(!detail::MaximiseTarget<F>)
MaximiseOutput<cost, Y, F> maximise(Y target, F function) {
    return {std::move(target), MaximiseOptions{}, std::move(function)};
}
/// Returns an action that finds the input for which the network's prediction is closest to a target, with options.
/// @tparam cost     number of the output, from 0 (default: the first)
/// @param target    number of a class, or an array of the shape of one prediction
/// @param options   steps, bounds and penalties of the search
/// @param function  function of a Maximised, or of a Maximised and the context of the hook
/// @return the action, for `then`
/// @throws ArgumentError  if an option is out of its range
///
/// @par Background
/// Can run in the background, on a copy of the parameters.
///
/// @par Example
/// @code
/// const MaximiseOptions options{.steps = 150, .lowest = 0, .highest = 1};
/// trainer.add(every(5, epoch).then(maximise(7, options, [](const auto& found) { std::printf("%g\n", found.cost); })));
/// @endcode
template <int cost = 0, detail::MaximiseTarget Y, class F>
    requires(!detail::MaximiseTarget<F>)
MaximiseOutput<cost, Y, F> maximise(Y target, const MaximiseOptions& options, F function) {
    return {std::move(target), options, std::move(function)};
}

/// The action of `pass(inputs…, function)`.
///
/// @tparam F  type of the function
/// @tparam X  types of the inputs
///
/// @par Background
/// Can run in the background, on a copy of the parameters.
///
/// @see pass
template <class F, class... X>
class PassInputs : public Action<PassInputs<F, X...>> {
public:
    /// @cond internal
    static constexpr Needs needs = Needs::parameters;

    PassInputs(F function, X... given)
        : function_(std::move(function)),
          inputs_(detail::SharedOwner<const std::tuple<X...>>::make(std::move(given)...)) {}
    void run(auto& context) {
        auto& model = context.model();
        const auto predictions = std::apply([&](const X&... x) { return model.predict_anew(x...); }, *inputs_);
        using P = std::remove_cvref_t<decltype(predictions)>;
        if constexpr (std::is_invocable_v<F&, const P&>) function_(predictions);
        else function_(predictions, context);
    }
    void restart(auto& context) const {
        auto& model = context.model();
        std::apply([&](const X&... x) { model.check_inputs_of(x...); }, *inputs_);
        if constexpr (std::remove_cvref_t<decltype(model)>::counts_when_run) detail::check_one_output(model.network());
    }
    static std::string text() { return "pass(inputs, a function)"; }
    /// @endcond

private:
    F function_;
    detail::SharedOwner<const std::tuple<X...>> inputs_;
};

namespace detail {

template <class All, std::size_t... i>
auto make_pass(All all, std::index_sequence<i...>) {
    using F = std::tuple_element_t<sizeof...(i), All>;
    return PassInputs<F, std::tuple_element_t<i, All>...>(std::move(std::get<sizeof...(i)>(all)),
                                                          std::move(std::get<i>(all))...);
}

}  // namespace detail

/// Returns an action that calls a function with the network's predictions for given inputs.
///
/// The state of recurrent layers between predictions is not used and not changed. `add` throws ShapeError if an input
/// does not fit the network.
/// @param first              first input of the network, an array (records, …); it is copied
/// @param more_and_function  further inputs, then a function of what `Model::predict` returns, or of that and the
///     context of the hook
/// @return the action, for `then`
///
/// @par Background
/// Can run in the background, on a copy of the parameters. The function is then called on the hook's thread.
///
/// @par Example
/// @code
/// trainer.add(every(1, epoch).then(pass(images, [](const Array<float>& predictions) {
///     std::printf("%g\n", predictions(0, 7));
/// })));
/// @endcode
///
/// @see maximise, score
template <class X, class... More>
    requires(sizeof...(More) > 0)
auto pass(X first, More... more_and_function) {
    return detail::make_pass(std::tuple<X, More...>(std::move(first), std::move(more_and_function)...),
                             std::make_index_sequence<sizeof...(More)>{});
}

}  // namespace sigma
