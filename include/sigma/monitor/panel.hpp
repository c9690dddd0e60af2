// SPDX-License-Identifier: BSL-1.0
#pragma once
#include <sigma/core/any_function.hpp>
#include <sigma/core/owners.hpp>
#include <sigma/data/dataset.hpp>
#include <sigma/execution/maximise_options.hpp>

#include <concepts>
#include <cstddef>
#include <optional>
#include <string>
#include <string_view>
#include <type_traits>
#include <utility>
#include <variant>
#include <vector>

namespace sigma::monitor {

/// How a slider goes: `automatic` is logarithmic where both ends are positive and one is more than 100 times the other.
enum class Scale { automatic, linear, logarithmic };

/// What a value of the registry is set with; see `slider` and `choice`.
struct Field {
    std::string name;
    double low = 0, high = 0;
    bool logarithmic = false;
    std::vector<std::string> choices{};  ///< none: a slider
};

/// In a table: a number or a text.
using Cell = std::variant<double, std::string>;
using Rows = std::vector<std::vector<Cell>>;

class PanelKind;

/// A part of the page. The words below make them; `of` says whose, where there are several trainers.
struct Panel {
    sigma::detail::SharedOwner<PanelKind> kind;  ///< what it shows
    std::string title{};
    std::string trainer{};  ///< the first, unless said
    std::string tab{};      ///< the one of its kind, unless said
    std::optional<int> width{};

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
    /// On a tab of this name at first; a browser may move it.
    Panel on(std::string name) const {
        Panel other = *this;
        other.tab = std::move(name);
        return other;
    }
    /// So many columns wide at first, 1 to 3, which is all.
    Panel wide(int columns_at_first) const {
        Panel other = *this;
        other.width = columns_at_first;
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
/// "chart", "bars" or "ranked" of these.
Panel lines(const char* kind, std::vector<std::string> series);
Panel parameters(std::string pattern, std::vector<Field> fields);
/// Of a kind that needs nothing said.
Panel plain(const char* kind, const char* title);

}  // namespace detail

/// Lines of numbers over iterations: `chart(loss, validation_loss)`, `chart("optimizer.learning_rate")`.
template <class... X>
    requires(sizeof...(X) > 0 && ((detail::NamedValue<X> || std::convertible_to<X, std::string_view>) && ...))
Panel chart(const X&... values) {
    return detail::lines("chart", {detail::series_name(values)...});
}
/// The same numbers as bars, each as long as its part of the greatest.
template <class... X>
    requires(sizeof...(X) > 0 && ((detail::NamedValue<X> || std::convertible_to<X, std::string_view>) && ...))
Panel bars(const X&... values) {
    return detail::lines("bars", {detail::series_name(values)...});
}
/// Shares from 0 to 1 as percentages, the greatest first: `ranked(accuracy, validation_accuracy)`.
template <class... X>
    requires(sizeof...(X) > 0 && ((detail::NamedValue<X> || std::convertible_to<X, std::string_view>) && ...))
Panel ranked(const X&... values) {
    return detail::lines("ranked", {detail::series_name(values)...});
}
/// What the network takes one record for: its classes as percentages, the greatest first.
Panel ranked(Dataset data, std::size_t record);

/// A value of the registry on a slider: `slider("optimizer.learning_rate", 1e-5, 1.0)`, by itself or within
/// `parameters`. Throws ArgumentError unless low < high, and 0 < low where it is logarithmic.
Field slider(std::string name, double low, double high, Scale scale = Scale::automatic);
/// One of some texts: `choice("mode", {"warm", "cold"})`. Throws ArgumentError for none.
Field choice(std::string name, std::vector<std::string> choices);

/// What stands in the registry under a pattern, to be seen and set, each by what fits its type, or as a field says:
/// `parameters("optimizer.*", slider("optimizer.learning_rate", 1e-5, 1.0))`.
template <std::convertible_to<Field>... F>
Panel parameters(std::string pattern, const F&... fields) {
    return detail::parameters(std::move(pattern), {fields...});
}
template <std::same_as<Field>... F>
Panel parameters(const Field& first, const F&... others) {
    return detail::parameters("", {first, others...});
}
/// How often records of each class are taken for which; of at most 1000 classes.
Panel confusion(Dataset data);
/// The first so many records, at most 1000, with their targets and what the network says of them now.
Panel table(Dataset data, std::size_t records);
/// A table of the program's own, which threads of the monitor ask for while somebody looks.
Panel table(std::string title, std::vector<std::string> columns, sigma::detail::AnyFunction<Rows()> rows);
/// A picture of the program's own, asked for likewise: rows × columns numbers.
Panel picture(std::string title, std::size_t rows, std::size_t columns,
              sigma::detail::AnyFunction<std::vector<float>()> numbers);
/// Numbers of a parameter, or of several, as a histogram, with those before: `histogram("**.gradients.*")`.
Panel histogram(std::string pattern);
/// Rows of a parameter as pictures: `weights("network.layers.1-dense.weights", 28, 28)`.
Panel weights(std::string parameter, std::size_t rows, std::size_t columns);
/// The inputs that the network takes most for each of so many classes, at most 100: what `maximise` finds, for a copy
/// of the parameters, on a thread of its own, every three seconds while somebody looks.
Panel maximised(std::size_t classes,
                const MaximiseOptions& options = {.steps = 150, .all_steps = true, .decay = 0.003, .smoothing = 0.006});
/// Something to draw on, which the network then looks at.
Panel draw_digit(std::size_t rows, std::size_t columns);
/// A game of tic-tac-toe against a network of nine inputs.
inline const Panel tic_tac_toe = detail::plain("tic_tac_toe", "tic-tac-toe");
/// The network, and the way of the data to it.
inline const Panel graph = detail::plain("graph", "network");
inline const Panel log = detail::plain("log", "log");
/// What takes long: reading, saving, downloads.
inline const Panel tasks = detail::plain("tasks", "tasks");
/// All trainers at once.
inline const Panel overview = detail::plain("overview", "trainers");

}  // namespace sigma::monitor
