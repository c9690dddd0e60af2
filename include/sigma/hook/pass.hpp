// SPDX-License-Identifier: BSL-1.0
#pragma once
#include <sigma/core/owners.hpp>
#include <sigma/hook/action.hpp>
#include <sigma/network/model.hpp>

#include <tuple>

namespace sigma {

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
        std::apply([&](const X&... x) { context.model().check_inputs_of(x...); }, *inputs_);
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
