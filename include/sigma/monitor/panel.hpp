// SPDX-License-Identifier: BSL-1.0
#pragma once
#include <sigma/data/dataset.hpp>

#include <concepts>
#include <cstddef>
#include <optional>
#include <string>
#include <string_view>
#include <type_traits>
#include <utility>
#include <vector>

namespace sigma::monitor {

/// A part of the page. The words below make them; `of` says whose, where there are several trainers.
struct Panel {
    std::string kind;  ///< "chart"
    std::string title{};
    std::string trainer{};              ///< the first, unless said
    std::vector<std::string> series{};  ///< of a chart
    std::string pattern{};              ///< of names in the registry
    std::size_t rows = 0, columns = 0;  ///< of a picture
    std::optional<Dataset> data{};      ///< of a confusion matrix

    Panel of(std::string name) const {
        Panel other = *this;
        other.trainer = std::move(name);
        return other;
    }
    Panel titled(std::string text) const {
        Panel other = *this;
        other.title = std::move(text);
        return other;
    }
};

namespace detail {

/// `loss`, `validation_loss`, and all other values of hooks that have a name.
template <class X>
concept NamedValue = requires {
    { std::remove_cvref_t<X>::name.view() } -> std::convertible_to<std::string_view>;
};
template <class X>
std::string series_name(const X& x) {
    if constexpr (NamedValue<X>) return std::string(std::remove_cvref_t<X>::name.view());
    else return std::string(std::string_view(x));
}
inline std::string joined_names(const std::vector<std::string>& names) {
    std::string text;
    for (const auto& name : names) text += (text.empty() ? "" : ", ") + name;
    return text;
}

}  // namespace detail

/// Lines of numbers over iterations: `chart(loss, validation_loss)`, `chart("optimizer.learning_rate")`.
template <class... X>
    requires(sizeof...(X) > 0 && ((detail::NamedValue<X> || std::convertible_to<X, std::string_view>) && ...))
Panel chart(const X&... values) {
    Panel panel{.kind = "chart", .series = {detail::series_name(values)...}};
    panel.title = detail::joined_names(panel.series);
    return panel;
}
/// What stands in the registry under a pattern, to be seen and set.
inline Panel parameters(std::string pattern) {
    return {.kind = "parameters", .title = pattern, .pattern = std::move(pattern)};
}
/// How often records of each class are taken for which.
inline Panel confusion(Dataset data) { return {.kind = "confusion", .title = "confusion", .data = std::move(data)}; }
/// Numbers of a parameter, or of several, as a histogram.
inline Panel histogram(std::string pattern) {
    return {.kind = "histogram", .title = pattern, .pattern = std::move(pattern)};
}
/// Rows of a parameter as pictures: `weights("network.layers.1-dense.weights", 28, 28)`.
inline Panel weights(std::string parameter, std::size_t rows, std::size_t columns) {
    return {.kind = "weights", .title = parameter, .pattern = std::move(parameter), .rows = rows, .columns = columns};
}
/// Something to draw on, which the network then looks at.
inline Panel draw_digit(std::size_t rows, std::size_t columns) {
    return {.kind = "draw", .title = "draw", .rows = rows, .columns = columns};
}
/// A game of tic-tac-toe against a network of nine inputs.
inline const Panel tic_tac_toe{.kind = "tic_tac_toe", .title = "tic-tac-toe"};
/// The network, and the way of the data to it.
inline const Panel graph{.kind = "graph", .title = "network"};
inline const Panel log{.kind = "log", .title = "log"};
inline const Panel controls{.kind = "controls", .title = "controls"};
inline const Panel state{.kind = "state", .title = "state"};
inline const Panel tasks{.kind = "tasks", .title = "tasks"};

}  // namespace sigma::monitor
