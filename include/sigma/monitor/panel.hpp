// SPDX-License-Identifier: BSL-1.0
#pragma once
/// @file
/// Panels of a page or a terminal view: charts, tables, parameters, pictures. Included by `<sigma/monitor/web.hpp>` and
/// `<sigma/monitor/terminal.hpp>`.
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

/// The scale of a slider.
/// @see slider
enum class Scale {
    automatic,   ///< Logarithmic if both ends are positive and the upper is more than 100 times the lower, else linear.
    linear,      ///< Equal steps of the slider change the value by equal amounts.
    logarithmic  ///< Equal steps of the slider multiply the value by equal factors. Both ends must be positive.
};

/// A control for one registry value on a `parameters` panel: a slider or a list of choices.
///
/// Make it with `slider` or `choice`, which check their arguments.
/// @see slider, choice, parameters
struct Field {
    std::string name;                    ///< Name of the registry value, such as "optimizer.learning_rate".
    double low = 0;                      ///< Lower end of the slider. Unused if `choices` is not empty.
    double high = 0;                     ///< Upper end of the slider. Unused if `choices` is not empty.
    bool logarithmic = false;            ///< The slider has a logarithmic scale if true.
    std::vector<std::string> choices{};  ///< Texts to choose from. Empty (the default): a slider.
};

/// A table cell: a number or a text.
/// @see Rows
using Cell = std::variant<double, std::string>;
/// The rows of a table, each with one cell per column.
///
/// @par Example
/// @code
/// monitor::Rows rows{{1.0, 1.0}, {2.0, 4.0}, {"three", 9.0}};
/// @endcode
using Rows = std::vector<std::vector<Cell>>;

class PanelKind;

/// One card of the page, or one area of a terminal view.
///
/// The functions `chart`, `parameters`, `table`, … make panels. The members of `Panel` return a changed copy, so you
/// can chain them.
///
/// @par Example
/// @code
/// monitor::Panel panel = monitor::chart(loss).of("digits").titled("Loss of the digits").on("Mine").wide(2);
/// @endcode
/// @see Monitor::add
struct Panel {
    /// @cond internal
    sigma::detail::SharedOwner<PanelKind> kind;
    /// @endcond
    std::string title{};    ///< Title of the card. The function that makes the panel sets a default.
    std::string trainer{};  ///< Name of the trainer. Empty: the first trainer (`Web`), the selected one (`Terminal`).
    std::string tab{};      ///< Name of the tab at first. Empty: the tab of the panel's kind. Only on a page.
    std::optional<int> width{};  ///< Columns at first, 1 to 3. Empty: the width of the panel's kind. Only on a page.

    /// Returns a copy that shows another trainer.
    /// @param name  name of the trainer
    /// @return the changed panel
    Panel of(std::string name) const {
        Panel other = *this;
        other.trainer = std::move(name);
        return other;
    }
    /// Returns a copy with another title.
    /// @param text  the title
    /// @return the changed panel
    Panel titled(std::string text) const {
        Panel other = *this;
        other.title = std::move(text);
        return other;
    }
    /// Returns a copy that is on another tab at first. The user of the page can move it.
    /// @param name  name of the tab, which is made if it does not exist
    /// @return the changed panel
    Panel on(std::string name) const {
        Panel other = *this;
        other.tab = std::move(name);
        return other;
    }
    /// Returns a copy with another width at first. The user of the page can change it.
    /// @param columns_at_first  1, 2, or 3 columns; 3 is the whole width. `Monitor::add` throws ArgumentError for
    /// others.
    /// @return the changed panel
    Panel wide(int columns_at_first) const {
        Panel other = *this;
        other.width = columns_at_first;
        return other;
    }
};

namespace detail {

/// A hook value that has a name, such as `loss` or `validation_loss`.
template <class X>
concept NamedValue = requires {
    { std::remove_cvref_t<X>::name.view() } -> std::convertible_to<std::string_view>;
};
/// Returns the name of a series, which is given as a hook value or as a text.
template <class X>
std::string series_name(const X& x) {
    if constexpr (NamedValue<X>) return std::string(std::remove_cvref_t<X>::name.view());
    else return std::string(std::string_view(x));
}
/// Makes a panel of the kind "chart", "bars", or "ranked" with these series.
Panel lines(const char* kind, std::vector<std::string> series);
/// Makes a panel of parameters.
Panel parameters(std::string pattern, std::vector<Field> fields);
/// Makes a panel of a kind without options.
Panel plain(const char* kind, const char* title);

}  // namespace detail

/// Makes a chart of one or more numbers over iterations or running time.
///
/// The page can zoom and smooth the chart, show logarithmic axes and other runs, and save it as CSV or PNG.
///
/// @tparam X  hook values with a name, or texts
/// @param values  hook values such as `loss`, or names of numbers in the trainer's registry, such as
///                "optimizer.learning_rate"
/// @return the panel, titled with the names of the numbers. `Monitor::add` throws ArgumentError if a name begins with
/// the
///         name of another trainer.
///
/// @par Example
/// @code
/// monitor::Web web(trainer);
/// web.add(monitor::chart(loss, validation_error), monitor::chart("optimizer.learning_rate"));
/// @endcode
template <class... X>
    requires(sizeof...(X) > 0 && ((detail::NamedValue<X> || std::convertible_to<X, std::string_view>) && ...))
Panel chart(const X&... values) {
    return detail::lines("chart", {detail::series_name(values)...});
}
/// Makes a panel that shows the latest numbers as bars, scaled to the largest absolute value.
/// @tparam X  hook values with a name, or texts
/// @param values  hook values, or names of numbers in the trainer's registry
/// @return the panel
/// @see chart
template <class... X>
    requires(sizeof...(X) > 0 && ((detail::NamedValue<X> || std::convertible_to<X, std::string_view>) && ...))
Panel bars(const X&... values) {
    return detail::lines("bars", {detail::series_name(values)...});
}
/// Makes a panel that shows numbers from 0 to 1 as percentages, the largest first.
/// @tparam X  hook values with a name, or texts
/// @param values  hook values such as `accuracy`, or names of numbers in the trainer's registry
/// @return the panel
///
/// @par Example
/// @code
/// monitor::Panel panel = monitor::ranked(accuracy, "validation_accuracy");
/// @endcode
template <class... X>
    requires(sizeof...(X) > 0 && ((detail::NamedValue<X> || std::convertible_to<X, std::string_view>) && ...))
Panel ranked(const X&... values) {
    return detail::lines("ranked", {detail::series_name(values)...});
}
/// Makes a panel that shows the current prediction for one record: class probabilities as percentages, the largest
/// first.
///
/// The panel also shows the record's target and, if the record is an image of at most 4096 pixels, its picture. The
/// page shows the first ten classes. The network must have exactly one input.
///
/// @param data    the data set
/// @param record  index of the record, from 0. `Monitor::add` throws ArgumentError if it is not less than
/// `data.size()`.
/// @return the panel
///
/// @par Example
/// @code
/// monitor::Panel panel = monitor::ranked(testing, 3);
/// @endcode
Panel ranked(Dataset data, std::size_t record);

/// Makes a slider for a number of the registry.
/// @param name   name of the value, such as "optimizer.learning_rate"
/// @param low    lower end, in the unit of the value
/// @param high   upper end
/// @param scale  linear or logarithmic. Default: logarithmic if `low` is positive and `high` is more than 100 × `low`
/// @return the field, for `parameters`
/// @throws ArgumentError  if `low` or `high` is not finite, `low` is not less than `high`, or `low` is not positive and
///                        `scale` is `Scale::logarithmic`
///
/// @par Example
/// @code
/// monitor::Panel panel = monitor::parameters(monitor::slider("optimizer.learning_rate", 1e-5, 1.0));
/// @endcode
Field slider(std::string name, double low, double high, Scale scale = Scale::automatic);
/// Makes a list of texts from which the user chooses a registry value.
/// @param name     name of the value
/// @param choices  the texts. Each must be convertible to the value's type.
/// @return the field, for `parameters`
/// @throws ArgumentError  if `choices` is empty
///
/// @par Example
/// @code
/// trainer.registry().set("mode", "warm");
/// monitor::Panel panel = monitor::parameters(monitor::choice("mode", {"warm", "cold"}));
/// @endcode
Field choice(std::string name, std::vector<std::string> choices);

/// Makes a panel that shows the registry values that match a pattern, and sets those that are writable.
///
/// Each value has a control for its type: a switch for a bool, a number field with a slider for a positive number, a
/// text field for a text. A field replaces the control of the value that it names.
///
/// @tparam F  `Field`
/// @param pattern  names with the wildcards of the registry, such as "optimizer.*"
/// @param fields   sliders and choices for some of the values
/// @return the panel, titled with the pattern
///
/// @par Example
/// @code
/// monitor::Web web(trainer);
/// web.add(monitor::parameters("optimizer.*", monitor::slider("optimizer.learning_rate", 1e-5, 1.0)));
/// @endcode
template <std::convertible_to<Field>... F>
Panel parameters(std::string pattern, const F&... fields) {
    return detail::parameters(std::move(pattern), {fields...});
}
/// Makes a panel that shows and sets exactly the values that the fields name.
/// @tparam F  `Field`
/// @param first   the first slider or choice
/// @param others  further sliders and choices
/// @return the panel, titled with the names of the values
/// @see slider, choice
template <std::same_as<Field>... F>
Panel parameters(const Field& first, const F&... others) {
    return detail::parameters("", {first, others...});
}
/// Makes a confusion matrix: how often the network predicts each class for the records of each class.
///
/// The matrix covers the first 10,000 records and is computed at most once a second. The network must have one input
/// and one loss that classifies.
///
/// @param data  the data set. Its targets are classes, at most 1000. `Monitor::add` throws ArgumentError for others.
/// @return the panel
///
/// @par Example
/// @code
/// monitor::Panel panel = monitor::confusion(testing);
/// @endcode
Panel confusion(Dataset data);
/// Options of `predictions`.
///
/// @par Example
/// @code
/// monitor::Panel panel = monitor::predictions(testing, {.epochs = 5, .records = 5000});
/// @endcode
struct PredictionsOptions {
    std::size_t epochs = 1;      ///< Epochs from one prediction to the next, at least 1.
    std::size_t records = 2000;  ///< The first records of the data are predicted, at most so many: 1 to 10,000.
};
/// Makes a panel of the predictions of a classifier: the worst errors, a confusion matrix, and a slider for the
/// threshold of a class.
///
/// A cell of the matrix opens its records. The slider shows precision, recall and F1 of a class against the rest. The
/// thread that trains copies the parameters at the end of an epoch and at the end of a run. A thread of the monitor
/// predicts with this copy, and rests for 19 times as long, so short epochs are left out. The option `runs` of the
/// monitor also keeps the last predictions.
///
/// @param data     the records. Their targets are classes, at most 100. `Monitor::add` throws ArgumentError for
///                 others, and for a trainer whose network has no loss that classifies, has other inputs, or has fewer
///                 classes.
/// @param options  how often, and how many records. `Monitor::add` throws ArgumentError for a number out of its range.
/// @return the panel
///
/// @par Example
/// @code
/// monitor::Panel panel = monitor::predictions(testing);
/// @endcode
/// @see confusion, table
Panel predictions(Dataset data, PredictionsOptions options = {});
/// Makes a table of the first records of a data set with their targets and current predictions.
///
/// Images of at most 4096 pixels are shown as pictures, records of at most 8 numbers as numbers. The network must have
/// exactly one input.
///
/// @param data     the data set
/// @param records  number of records, 1 to 1000. `Monitor::add` throws ArgumentError for others.
/// @return the panel, titled with the name of the data set
///
/// @par Example
/// @code
/// monitor::Panel panel = monitor::table(testing, 20);
/// @endcode
Panel table(Dataset data, std::size_t records);
/// Makes a table that your function fills.
///
/// The monitor calls the function on its own threads, about once a second while the panel is visible in a browser. The
/// function must be safe to call while the trainer runs.
///
/// @param title    title of the panel
/// @param columns  titles of the columns
/// @param rows     function that returns the rows; at most 10,000 are shown
/// @return the panel
///
/// @par Example
/// @code
/// monitor::Panel panel = monitor::table("powers", {"n", "n squared"}, [] {
///     return monitor::Rows{{1.0, 1.0}, {2.0, 4.0}, {"three", 9.0}};
/// });
/// @endcode
Panel table(std::string title, std::vector<std::string> columns, sigma::detail::AnyFunction<Rows()> rows);
/// Makes a picture that your function draws, in shades of gray from the smallest to the largest number.
///
/// The monitor calls the function on its own threads, about once a second while the panel is visible in a browser.
///
/// @param title    title of the panel
/// @param rows     height in pixels
/// @param columns  width in pixels. `Monitor::add` throws ArgumentError unless rows × columns is from 1 to 65,536.
/// @param numbers  function that returns rows × columns numbers, row by row
/// @return the panel
///
/// @par Example
/// @code
/// monitor::Panel panel = monitor::picture("ramp", 1, 3, [] { return std::vector<float>{0, 1, 2}; });
/// @endcode
Panel picture(std::string title, std::size_t rows, std::size_t columns,
              sigma::detail::AnyFunction<std::vector<float>()> numbers);
/// Makes a histogram of the values of tensors, with up to 80 earlier distributions of the run.
///
/// The monitor reads each tensor at most once a second and spends at most one hundredth of the run's time on all of
/// them. It computes gradients for tensors of gradients. At most 256 tensors per trainer are read.
///
/// @param pattern  names of tensors, with the wildcards of the registry, such as "network.layers.*.weights"
/// @return the panel, titled with the pattern
///
/// @par Example
/// @code
/// monitor::Panel panel = monitor::histogram("network.layers.*.gradients.weights");
/// @endcode
Panel histogram(std::string pattern);
/// Makes a panel that shows the output of each layer for one record, computed as in prediction.
///
/// The user of the page chooses the record. The monitor computes the outputs between two steps. The page shows at most
/// 16 channels of an image, and at most 16,384 numbers of a layer. If the network has more than one input, the panel
/// shows an error.
///
/// @param data  records to choose from, with the shape of the network's input
/// @return the panel
///
/// @par Example
/// @code
/// monitor::Panel panel = monitor::activations(testing);
/// @endcode
/// @see health
Panel activations(Dataset data);
/// Makes a panel that shows the weights of the first units of a layer as pictures.
///
/// Each picture is one column of the parameter, with rows × columns inputs. The page shows at most 64 units, and at
/// most 100,000 numbers in all.
///
/// @param parameter  name of the parameter, such as "network.layers.1-dense.weights"
/// @param rows       height of a picture in pixels
/// @param columns    width of a picture in pixels
/// @return the panel, titled with the name of the parameter
///
/// @par Example
/// @code
/// monitor::Panel panel = monitor::weights("network.layers.1-dense.weights", 28, 28);
/// @endcode
Panel weights(std::string parameter, std::size_t rows, std::size_t columns);
/// Makes a panel that shows the inputs that maximize the probability of each class.
///
/// The monitor searches with a copy of the parameters on its own thread. While the panel is visible in a browser, a new
/// search starts three seconds after the last one. The network must have one input of numbers and one loss that
/// classifies.
///
/// @param classes  number of classes, 1 to 100. `Monitor::add` throws ArgumentError for others.
/// @param options  options of the search, see `maximise`
/// @return the panel
///
/// @par Example
/// @code
/// monitor::Panel panel = monitor::maximised(10);
/// @endcode
Panel maximised(std::size_t classes,
                const MaximiseOptions& options = {.steps = 150, .all_steps = true, .decay = 0.003, .smoothing = 0.006});
/// Makes a panel to draw on, with the network's current class probabilities for the drawing.
/// @param rows     height of the input in pixels
/// @param columns  width of the input in pixels
/// @return the panel
///
/// @par Example
/// @code
/// monitor::Panel panel = monitor::draw_digit(28, 28);
/// @endcode
Panel draw_digit(std::size_t rows, std::size_t columns);
/// A game of tic-tac-toe against a network with nine inputs.
/// @see graph, which shows how to add a panel without options
inline const Panel tic_tac_toe = detail::plain("tic_tac_toe", "tic-tac-toe");
/// The graph of the network and of the steps that prepare its data.
///
/// @par Example
/// @code
/// monitor::Web web(trainer);
/// web.add(monitor::overview, monitor::graph, monitor::tasks, monitor::log);
/// @endcode
inline const Panel graph = detail::plain("graph", "network");
/// The health of each layer over the run: norms of weights and gradients, relative updates, dead and saturated units.
///
/// The monitor examines the layers at most once a second, in at most 0.5 % of the run's time. A unit is dead if its
/// output is 0 for all records of the last three batches that were examined. An output of a `sigmoid` or `tanh` is
/// saturated within 0.01 of an end of its range. The panel describes layers that probably have a problem.
///
/// @par Example
/// @code
/// monitor::Web web(trainer);
/// web.add(monitor::chart(loss), monitor::health);
/// @endcode
/// @see activations, histogram
inline const Panel health = detail::plain("health", "health of layers");
/// Processor, memory and GPUs over the run, the share of its time that it waits for data, and profiles of its steps.
///
/// The monitor reads the numbers once a second. GPUs of NVIDIA are shown if their library `libnvidia-ml.so.1` is
/// installed. The button "Profile 100 steps" measures each kernel of the running trainer.
///
/// @par Example
/// @code
/// monitor::Web web(trainer);
/// web.add(monitor::chart(loss), monitor::system);
/// @endcode
/// @see health, profile
inline const Panel system = detail::plain("system", "system");
/// The messages of the log, with a search field and a minimum level.
/// @see graph, Monitor::follow
inline const Panel log = detail::plain("log", "log");
/// Tasks that take long, with their progress: reading, saving, downloading.
/// @see graph
inline const Panel tasks = detail::plain("tasks", "tasks");
/// All trainers in one table, with a button to run or pause each.
/// @see graph
inline const Panel overview = detail::plain("overview", "trainers");

}  // namespace sigma::monitor
