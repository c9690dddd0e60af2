// SPDX-License-Identifier: BSL-1.0
#pragma once
#include <sigma/core/text.hpp>
#include <sigma/hook/derived.hpp>
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
    TensorKind kind;
    std::string pattern;
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

    detail::SelectedTensors tensors() const {
        if constexpr (name.size > 0) return {kind, std::string(name.view()), true};
        else return {kind, pattern};
    }
    /// The network of a trainer may have no parameter of the name.
    template <class Trainer>
    static constexpr auto check() {
        using M = std::remove_cvref_t<decltype(std::declval<Trainer&>().model())>;
        if constexpr (name.size > 0) return Mistake<typename detail::NoParameter<name, M>::type>{};
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

}  // namespace sigma

#ifndef SIGMA_COMPILED
#include <sigma/hook/impl/selection.ipp>
#endif
