// SPDX-License-Identifier: BSL-1.0
#pragma once
#include <sigma/exchange/portable_model.hpp>
#include <sigma/network/dynamic_network.hpp>

#include <string>

/// A network as mathematics, and its tape as a graph: made of the operations that were traced, so that layers and
/// losses of your own print as well.
namespace sigma {

enum class Formula {
    text,   ///< lines of UTF-8
    latex,  ///< an align* of amsmath
};

namespace detail {

std::string formula(const Layers& network, Formula how);
std::string tape_graphviz(const PortableModel& model);

template <AnyNetwork N>
Layers layers_of([[maybe_unused]] const N& network) {
    if constexpr (NamedNetwork<N>) return sigma::network(network).made().layers();
    else if constexpr (MadeNetwork<N>) return network.made().layers();
    else return Layers(N::expression);
}

}  // namespace detail

/// What a network computes in prediction, a layer a line and more where one would be long, then what each cost predicts
/// and its loss:
///
///   1-dense  h1 = relu(x · W1 + b1)    (12), W1 (4, 12), b1 (12)
///
/// Records are rows without the axis of the batch, ∘ multiplies element by element, · is the matrix product, ∗ a
/// convolution; indices count from 1. In loops t is the position in a sequence.
template <AnyNetwork N>
std::string formula(const N& network, Formula how = Formula::text) {
    return detail::formula(detail::layers_of(network), how);
}
template <AnyNetwork N, class T>
std::string formula(const Model<N, T>& model, Formula how = Formula::text) {
    return formula(model.definition(), how);
}

/// The operations of a prediction as text in the language of Graphviz, `dot -Tsvg`, each layer in a frame.
template <AnyNetwork N, class T>
std::string tape_graphviz(const Model<N, T>& model) {
    std::string text;
    detail::with_portable(model, [&](const detail::PortableModel& m) { text = detail::tape_graphviz(m); });
    return text;
}

}  // namespace sigma
