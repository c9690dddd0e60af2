// SPDX-License-Identifier: BSL-1.0
#pragma once
#include <sigma/core/owners.hpp>
#include <sigma/execution/maximise.hpp>
#include <sigma/hook/action.hpp>
#include <sigma/network/model.hpp>

#include <tuple>

namespace sigma {

/// Looks for the input that maximises an output, and gives it to a function.
template <int cost, detail::MaximiseTarget Y, class F>
class MaximiseOutput : public Action<MaximiseOutput<cost, Y, F>> {
public:
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

/// As an action: every(5, epoch).then(maximise(7, [](const auto& found) { … found.input … })).in_background(). The
/// search is that of `maximise` for models, on the parameters of the moment; in the background it does not hold up
/// training. The function takes a Maximised, and where it wants to print also the context.
template <int cost = 0, detail::MaximiseTarget Y, class F>
    requires(!detail::MaximiseTarget<F>)
MaximiseOutput<cost, Y, F> maximise(Y target, F function) {
    return {std::move(target), MaximiseOptions{}, std::move(function)};
}
template <int cost = 0, detail::MaximiseTarget Y, class F>
    requires(!detail::MaximiseTarget<F>)
MaximiseOutput<cost, Y, F> maximise(Y target, const MaximiseOptions& options, F function) {
    return {std::move(target), options, std::move(function)};
}

/// Predictions for given inputs with the parameters of the moment, and no state of predictions before.
template <class F, class... X>
class PassInputs : public Action<PassInputs<F, X...>> {
public:
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

/// As an action: every(1, epoch).then(pass(inputs, [](const Array<float>& predictions) { … })). Each input of the
/// network is an array (records, …), of which a copy is kept; then comes the function of what Model::predict returns,
/// and where it wants to print, of the context. Shapes are checked when the hook is added: ShapeError.
template <class X, class... More>
    requires(sizeof...(More) > 0)
auto pass(X first, More... more_and_function) {
    return detail::make_pass(std::tuple<X, More...>(std::move(first), std::move(more_and_function)...),
                             std::make_index_sequence<sizeof...(More)>{});
}

}  // namespace sigma
