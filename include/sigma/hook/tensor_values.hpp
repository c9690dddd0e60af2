// SPDX-License-Identifier: BSL-1.0
#pragma once
#include <sigma/core/owners.hpp>
#include <sigma/core/text.hpp>
#include <sigma/hook/criterion.hpp>
#include <sigma/hook/value.hpp>
#include <sigma/network/table.hpp>
#include <sigma/network/use_mistakes.hpp>
#include <sigma/tape/mistake.hpp>

#include <string>
#include <type_traits>
#include <utility>
#include <vector>

namespace sigma {

/// The parameters themselves, the gradients of the loss in them in the step before, or by how much that step changed
/// them.
enum class TensorKind { parameters, gradients, updates };

namespace detail {

/// Tensors of a network: those whose parameters match a pattern, or the one of a name that is known when compiling.
struct SelectedTensors {
    TensorKind kind{};
    std::string pattern{};
    bool by_name = false;

    std::string text() const;
    /// The positions of the parameters. Throws ArgumentError where there is none.
    std::vector<int> find(const NetworkTable& network) const;
    Wants wants() const { return {kind == TensorKind::gradients, kind == TensorKind::updates}; }
    friend bool operator==(const SelectedTensors&, const SelectedTensors&) = default;
};

template <TensorKind kind_, Text name = Text{}>
struct Selection {
    static constexpr TensorKind kind = kind_;
    static constexpr Wants wants{kind == TensorKind::gradients, kind == TensorKind::updates};
    std::string pattern{};

    SelectedTensors tensors() const {
        if constexpr (name.size > 0) return {kind, std::string(name.view()), true};
        else return {kind, pattern};
    }
    /// The network of a trainer may have no parameter of the name.
    template <class Trainer>
    static constexpr auto examine() {
        using M = std::remove_cvref_t<decltype(std::declval<Trainer&>().model())>;
        if constexpr (name.size > 0) return Mistake<typename NoParameter<name, M>::type>{};
        else return Mistake<>{};
    }
};

}  // namespace detail

/// `norm(gradients("*"))`, `deviation(parameters("1-*.weights"))`. `*` in a pattern stands for any characters.
inline auto parameters(std::string pattern) { return detail::Selection<TensorKind::parameters>{std::move(pattern)}; }
inline auto gradients(std::string pattern) { return detail::Selection<TensorKind::gradients>{std::move(pattern)}; }
inline auto updates(std::string pattern) { return detail::Selection<TensorKind::updates>{std::move(pattern)}; }
/// The same of one, `parameter<"1-dense.weights">()`; a name that the network does not have does not compile.
template <Text name>
auto parameter() {
    return detail::Selection<TensorKind::parameters, name>{};
}
template <Text name>
auto gradient() {
    return detail::Selection<TensorKind::gradients, name>{};
}
template <Text name>
auto update() {
    return detail::Selection<TensorKind::updates, name>{};
}

namespace detail {

/// What is computed from all elements of all tensors of a selection together.
enum class Quantity : unsigned char {
    norm,
    largest_magnitude,
    mean,
    deviation,
    share_of_zeros,
    share_from,
    update_rate
};

SharedOwner<Derived> make_tensor_value(SelectedTensors tensors, Quantity quantity, double bound);

}  // namespace detail

/// A number made of tensors of the network. New each iteration; computed when a hook reads it, once for all hooks of a
/// moment. Those of gradients and updates are NaN when no step has just been taken for which they were kept, as in
/// hooks that wait for a start.
template <class S>
struct TensorValue : DerivedValue<TensorValue<S>> {
    using Sources = Types<>;
    static constexpr Moment moment = Moment::iteration;
    static constexpr detail::Wants wants = S::wants;

    TensorValue(const S& selection, detail::Quantity quantity, double bound = 0)
        : DerivedValue<TensorValue>(detail::make_tensor_value(selection.tensors(), quantity, bound)) {}
    template <class Trainer>
    static constexpr auto examine() {
        return S::template examine<Trainer>();
    }
};

/// √Σx² over all elements of the tensors
template <TensorKind kind, Text name>
auto norm(const detail::Selection<kind, name>& s) {
    return TensorValue<detail::Selection<kind, name>>(s, detail::Quantity::norm);
}
template <TensorKind kind, Text name>
auto mean_of(const detail::Selection<kind, name>& s) {
    return TensorValue<detail::Selection<kind, name>>(s, detail::Quantity::mean);
}
/// √(Σ(x − mean)² / (n − 1)), that of a sample; NaN of a single element
template <TensorKind kind, Text name>
auto deviation(const detail::Selection<kind, name>& s) {
    return TensorValue<detail::Selection<kind, name>>(s, detail::Quantity::deviation);
}
/// max |x|
template <TensorKind kind, Text name>
auto largest_magnitude(const detail::Selection<kind, name>& s) {
    return TensorValue<detail::Selection<kind, name>>(s, detail::Quantity::largest_magnitude);
}
/// Share of the elements that are 0, or whose magnitude is at most `bound`.
template <TensorKind kind, Text name>
auto share_of_zeros(const detail::Selection<kind, name>& s, double bound = 0) {
    return TensorValue<detail::Selection<kind, name>>(s, detail::Quantity::share_of_zeros, bound);
}
/// Share of the elements whose magnitude is `bound` or more.
template <TensorKind kind, Text name>
auto share_from(const detail::Selection<kind, name>& s, double bound) {
    return TensorValue<detail::Selection<kind, name>>(s, detail::Quantity::share_from, bound);
}

/// ‖w − w₀‖ / ‖w₀‖ of all elements of the tensors, where the last step led from w₀ to w; 0 where both are 0. New each
/// iteration; NaN when no step has just been taken for which w₀ was kept. `update_rate("*.weights")`
inline auto update_rate(std::string pattern) {
    return TensorValue<detail::Selection<TensorKind::updates>>({std::move(pattern)}, detail::Quantity::update_rate);
}
/// `update_rate<"1-dense.weights">()`
template <Text name>
auto update_rate() {
    return TensorValue<detail::Selection<TensorKind::updates, name>>({}, detail::Quantity::update_rate);
}

}  // namespace sigma

#ifndef SIGMA_COMPILED
#include <sigma/hook/impl/tensor_values.ipp>
#endif
