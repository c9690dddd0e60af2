// SPDX-License-Identifier: BSL-1.0
#pragma once
/// @file
/// Networks as formulas, and tapes as graphs: formula, tape_graphviz. Included by `<sigma/exchange.hpp>`.
#include <sigma/exchange/portable_model.hpp>
#include <sigma/network/dynamic_network.hpp>

#include <string>

namespace sigma {

/// The format of `formula`.
/// @see formula
enum class Formula {
    text,   ///< Lines of UTF-8.
    latex,  ///< An align* environment of amsmath.
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

/// Returns the prediction of a network as formulas: one line for each layer (several lines for long formulas), then the
/// prediction and the value of each loss.
///
/// The formulas are made of the traced operations, so layers and losses of your own appear as well. Records are rows
/// without the axis of the batch. ∘ multiplies element by element, · is the matrix product, ∗ is a convolution. Indices
/// count from 1. In loops t is the position in a sequence.
///
/// @param network  any network. Named sizes need values.
/// @param format   text (default) or LaTeX
/// @return lines such as "1-dense  h1 = relu(x · W1 + b1)    (12), W1 (4, 12), b1 (12)"
///
/// @par Example
/// @code
/// std::string lines = formula(Digits{});
/// @endcode
///
/// @see summary, docs/formulas.md
template <AnyNetwork N>
std::string formula(const N& network, Formula format = Formula::text) {
    return detail::formula(detail::layers_of(network), format);
}
/// Returns the prediction of a model's network as formulas.
/// @param model   the model
/// @param format  text (default) or LaTeX
/// @return one or several lines for each layer
template <AnyNetwork N, class T>
std::string formula(const Model<N, T>& model, Formula format = Formula::text) {
    return formula(model.definition(), format);
}

/// Returns the operations of a prediction as a picture in the language of Graphviz, each layer in a frame. Render it by
/// `dot -Tsvg`.
///
/// @param model  the model
/// @return the text of a DOT file
///
/// @par Example
/// @code
/// std::string dot = tape_graphviz(model);
/// @endcode
///
/// @see graphviz
template <AnyNetwork N, class T>
std::string tape_graphviz(const Model<N, T>& model) {
    std::string text;
    detail::with_portable(model, [&](const detail::PortableModel& m) { text = detail::tape_graphviz(m); });
    return text;
}

}  // namespace sigma
