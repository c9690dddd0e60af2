// SPDX-License-Identifier: BSL-1.0
#pragma once
/// @file
/// The actions `report`, `report_registry`, `announce` and `report_running_time`. Included by `<sigma/sigma.hpp>`.
#include <sigma/core/any_function.hpp>
#include <sigma/core/number_text.hpp>
#include <sigma/core/owners.hpp>
#include <sigma/hook/action.hpp>
#include <sigma/hook/archive.hpp>
#include <sigma/hook/file_name.hpp>
#include <sigma/hook/hook.hpp>
#include <sigma/hook/over_time.hpp>
#include <sigma/hook/value.hpp>
#include <sigma/hook/words.hpp>

#include <concepts>
#include <cstddef>
#include <cstdint>
#include <initializer_list>
#include <span>
#include <string>
#include <string_view>
#include <type_traits>
#include <vector>

namespace sigma {

// These functions are no constants: a layout that does not fit its values does not compile, and the error names one of
// them.

/// A mistake at compile time: a layout has more or fewer braces than values follow it.
/// @param braces  number of braces
/// @param values  number of values
///
/// @see report
[[noreturn]] void error_layout_has_other_number_of_braces_than_values(int braces, int values);
/// A mistake at compile time: a layout has a brace without a counterpart. Write `{{` for a brace in the text.
/// @param layout  the layout
///
/// @see report
[[noreturn]] void error_layout_has_a_brace_that_is_not_closed(std::string_view layout);
/// A mistake at compile time: a format in braces is not `[<>][+][0][width][.digits][letter]`.
/// @param layout  the layout
///
/// @see report
[[noreturn]] void error_layout_is_none_of_width_digits_and_d_f_e_g_or_percent(std::string_view layout);
/// A mistake at compile time: a layout formats a count, such as `epoch`, with another letter than d.
/// @param layout  the layout
///
/// @see report
[[noreturn]] void error_layout_writes_a_count_by_d(std::string_view layout);
/// A mistake at compile time: a layout formats a number that is not a count with the letter d.
/// @param layout  the layout
///
/// @see report
[[noreturn]] void error_layout_writes_a_number_that_is_no_count_by_f_e_g_or_percent(std::string_view layout);
/// A mistake at compile time: a text follows a layout. Put it into the layout.
/// @param layout  the layout
///
/// @see report
[[noreturn]] void error_report_with_a_layout_takes_values_only(std::string_view layout);

namespace detail {

/// A part of a layout: a text between values, or the format of the next value.
struct LayoutPart {
    std::string_view text{};
    bool is_value = false, is_closed = true, is_known = true;
    NumberFormat format{};
};

/// Reads a format: [<>][+][0][width][.digits][letter], or nothing.
constexpr bool read_format(std::string_view text, NumberFormat& f) {
    const auto next = [&](std::string_view any) {
        if (text.empty() || any.find(text.front()) == any.npos) return '\0';
        const char c = text.front();
        text.remove_prefix(1);
        return c;
    };
    const auto number = [&](int most) {
        int n = -1;
        while (const char c = next("0123456789")) n = (n < 0 ? 0 : n > most ? most : n) * 10 + (c - '0');
        return n;
    };
    if (const char side = next("<>")) f.side = side;
    f.plus = next("+") != 0;
    f.zeros = next("0") != 0;
    if (const int n = number(100); n >= 0) f.width = n;
    if (next(".") != 0 && (f.digits = number(100)) < 0) return false;
    f.letter = next("dfeg%");
    if (f.letter == 0 && f.digits >= 0) f.letter = 'g';
    return text.empty() && f.width <= 100 && f.digits <= 17 && !(f.letter == 'd' && f.digits >= 0);
}

/// Removes the next part from a layout and returns it: "{}", "{:8.4f}", or a text, in which "{{" and "}}" are braces.
constexpr LayoutPart next_part(std::string_view& layout) {
    LayoutPart part;
    const std::size_t brace = layout.find_first_of("{}");
    if (brace != 0) {
        part.text = layout.substr(0, brace);
        layout.remove_prefix(part.text.size());
    } else if (layout.size() > 1 && layout[1] == layout[0]) {
        part.text = layout.substr(0, 1);
        layout.remove_prefix(2);
    } else if (const std::size_t end = layout.find('}'); layout[0] == '}' || end == layout.npos) {
        part.is_closed = false;
        layout = {};
    } else {
        const std::string_view format = layout.substr(1, end - 1);
        part.is_value = true;
        part.is_known = format.empty() || (format[0] == ':' && read_format(format.substr(1), part.format));
        layout.remove_prefix(end + 1);
    }
    return part;
}

template <class V>
constexpr bool is_count_value() {
    if constexpr (AnyValue<V>) return describe_value<V>().is_count;
    else return false;
}

/// A text before values, or a layout of all values: "epoch {:2}  loss {:.4f}".
template <class... Values>
class layout_for {
public:
    template <std::size_t n>
    consteval layout_for(const char (&layout)[n]) : text_(static_cast<const char*>(layout)) {
        if (!has_braces()) return;
        if (!(AnyValue<Values> && ...)) error_report_with_a_layout_takes_values_only(text_);
        constexpr bool counts[] = {is_count_value<Values>()..., false};
        constexpr int values = sizeof...(Values);
        int braces = 0;
        for (std::string_view rest = text_; !rest.empty();) {
            const LayoutPart part = next_part(rest);
            if (!part.is_closed) error_layout_has_a_brace_that_is_not_closed(text_);
            if (!part.is_known) error_layout_is_none_of_width_digits_and_d_f_e_g_or_percent(text_);
            if (!part.is_value) continue;
            const char letter = part.format.letter;
            if (braces < values && counts[braces] && letter != 0 && letter != 'd')
                error_layout_writes_a_count_by_d(text_);
            if (braces < values && !counts[braces] && letter == 'd')
                error_layout_writes_a_number_that_is_no_count_by_f_e_g_or_percent(text_);
            ++braces;
        }
        if (braces != values) error_layout_has_other_number_of_braces_than_values(braces, values);
    }
    constexpr std::string_view text() const { return text_; }
    constexpr bool has_braces() const { return text_.find_first_of("{}") != text_.npos; }

private:
    std::string_view text_;
};

/// A number that is reported, and the name of its value.
struct ReportedNumber {
    std::string_view name;
    double number;
};

/// The destination of a report, other than the trainer's `print`.
class ReportPlace {
public:
    virtual ~ReportPlace() = default;
    virtual detail::Owned<ReportPlace> clone() const = 0;
    /// Returns whether the destination takes rows of a table instead of lines.
    virtual bool rows() const { return false; }
    /// Called before the first row.
    virtual void start(std::string_view) {}
    virtual void write(std::string_view line) = 0;
    /// Returns whether the destination takes numbers instead of texts.
    virtual bool numbers() const { return false; }
    virtual void write(std::uint64_t /*iteration*/, std::span<const ReportedNumber>) {}
    virtual void restart() {}
    /// Called with the number of a worker. Each worker has a destination of its own: names of files contain the number.
    virtual void of_worker(int /*number*/) {}
    virtual void archive(Archive&) {}
    virtual std::string text() const = 0;
};

}  // namespace detail

/// The destination of `csv(name)`: a table in a file. The file is replaced when the hook is added and after a reset. It
/// is continued if the trainer continues from a checkpoint.
///
/// @see csv
struct ReportToCsv {
    std::string name;  ///< name of the file
};
/// Returns a destination for `report(…).to(…)`: a CSV file with the names of the values, then one row for each report.
///
/// Numbers have all digits. Texts have no column. A value that was never computed is empty. Other programs can read
/// each row at once.
/// @param name  name of the file; its folder must exist
/// @return the destination, for `report(…).to(…)`
///
/// @par Example
/// @code
/// trainer.add(every(100, iteration).then(report(iteration, loss, learning_rate).to(csv("curve.csv"))));
/// @endcode
///
/// @see report, tensorboard
ReportToCsv csv(std::string name);

namespace detail {

detail::Owned<ReportPlace> to_csv(const ReportToCsv& table);
/// Returns the destination of `report(…).to(file("log.txt"))`, which appends to a file.
detail::Owned<ReportPlace> to_file(std::string name);
/// Returns a destination that calls a function with each line.
detail::Owned<ReportPlace> to_call(AnyFunction<void(std::string_view)> f);

template <class Integer>
concept ReportItem = AnyValue<Integer> || std::convertible_to<Integer, std::string_view>;

template <ReportItem Integer>
TextOrValue report_item(const Integer& item) {
    if constexpr (AnyValue<Integer>) return {item.text(), value_of(item)};
    else return {std::string(std::string_view(item))};
}

ActionHandle make_report(std::initializer_list<TextOrValue> items);
/// Makes a report of values in a layout, or after a text without braces.
ActionHandle make_report(std::string_view layout, std::initializer_list<TextOrValue> items);
/// Returns the same report with another destination.
ActionHandle report_to(const ActionHandle& report, detail::Owned<ReportPlace> place);
/// Returns the same report with `n` digits after the point. Throws ArgumentError unless `n` is from 1 to 6.
ActionHandle report_decimals(const ActionHandle& report, Integer n);

}  // namespace detail

/// The action of `report`: writes values and texts in one line. Allocates no memory after the first line.
///
/// @tparam Reads  the values that are reported
///
/// @par Background
/// Can run in the background.
///
/// @see report
template <class Reads>
class ReportValues : public detail::MadeAction<Reads> {
public:
    /// @cond internal
    using detail::MadeAction<Reads>::MadeAction;
    /// @endcond

    /// Returns the same report with another destination than the trainer's `print`.
    /// @param place  `file(…)` appends lines to a file, `csv(…)` writes a table, `tensorboard(…)` writes scalars, and a
    ///     function is called with each line as `std::string_view`. `command(…)`, `sound()` and `webhook(…)` notify a
    ///     person.
    /// @return the report
    ///
    /// A file that cannot be written throws DataError, which ends the run as a HookError.
    ///
    /// @par Example
    /// @code
    /// trainer.add(every(1, epoch).then(report(epoch, error).to(file("log.txt"))),
    ///             every(1, epoch).then(report(error).to([](std::string_view line) { std::puts(line.data()); })));
    /// @endcode
    template <class Place>
    ReportValues to(Place place) const {
        if constexpr (std::is_same_v<Place, ReportToCsv>) {
            static_assert(Reads::count > 0, "a CSV table needs at least one value");
            return ReportValues(detail::report_to(this->node, detail::to_csv(place)));
        } else if constexpr (requires { place.report_place(); }) {
            constexpr bool lines = requires { Place::takes_lines; };
            static_assert(lines || Reads::count > 0, "this destination of a report takes numbers: report a value");
            return ReportValues(detail::report_to(this->node, place.report_place()));
        } else if constexpr (requires { place.fixed(); }) {
            return ReportValues(detail::report_to(this->node, detail::to_file(place.fixed())));
        } else {
            static_assert(std::is_invocable_v<Place&, std::string_view>,
                          "the destination of a report must be file(…), csv(…), tensorboard(…) or a function of a "
                          "std::string_view");
            return ReportValues(detail::report_to(this->node, detail::to_call(std::move(place))));
        }
    }
    /// Returns the same report with another number of digits after the point. Only for reports without a layout.
    /// @param n  digits after the point, from 1 to 6 (3 without this call)
    /// @return the report
    /// @throws ArgumentError  if n is not from 1 to 6, or the report has a layout
    ReportValues decimals(detail::Integer n) const { return ReportValues(detail::report_decimals(this->node, n)); }
};

/// Returns an action that prints values and texts in one line: "epoch 3  error 0.213  accuracy 0.954".
///
/// Numbers have 3 digits after the point, numbers from 1000 on none, and small ones are written as 2.13e-05. A value
/// that was never computed is "-".
/// @param first  first value
/// @param items  values and texts
/// @return the action, for `then`
///
/// @par Background
/// Can run in the background.
///
/// @par Example
/// @code
/// trainer.add(every(1, epoch).then(score(testing), report(epoch, error, accuracy, "of the test data")));
/// @endcode
///
/// @see csv, tensorboard, use, report_running_time
template <class First, class... Items>
    requires(!std::is_array_v<First> && detail::ReportItem<First> && (detail::ReportItem<Items> && ...))
auto report(const First& first, const Items&... items) {
    return ReportValues<detail::ReadsOfItems<First, Items...>>(
        detail::make_report({detail::report_item(first), detail::report_item(items)...}));
}
/// @cond internal
struct include_sigma_data_data_hpp;
template <class>
struct error_csv_that_reads_a_file_is_in_namespace_data;
template <class Reads>
error_csv_that_reads_a_file_is_in_namespace_data<include_sigma_data_data_hpp> csv(const FileName<Reads>&);
/// @endcond

/// Returns an action that prints a text and values, or values in a layout: `report("epoch {:2}  loss {:.4f}", epoch,
/// error)`.
///
/// A text with braces is a layout of all values. As in std::format, braces contain nothing or
/// `:[<>][+][0][width][.digits][letter]`. The letters are f, e, g and % (0.25 is 25%), and d for counts. `{{` is a
/// brace. Numbers have a point in every locale. A layout that does not fit the values does not compile.
/// @param layout  text or layout, known at compile time
/// @param items   values; after a text without braces also texts
/// @return the action, for `then`
///
/// @par Background
/// Can run in the background.
///
/// @par Example
/// @code
/// trainer.add(every(1, epoch).then(report("epoch {:3}  loss {:.4f}", epoch, training_loss)));
/// @endcode
template <class... Items>
    requires(detail::ReportItem<Items> && ...)
auto report(std::type_identity_t<detail::layout_for<Items...>> layout, const Items&... items) {
    return ReportValues<detail::ReadsOfItems<Items...>>(
        detail::make_report(layout.text(), {detail::report_item(items)...}));
}

/// The action of `report_registry` and `announce`.
///
/// @par Background
/// Cannot run in the background, because it reads the registry of the live trainer.
///
/// @par Workers
/// Cannot be used in `in_each_worker`, because it reads what the workers share.
///
/// @see report_registry, announce
class ReportRegistry : public Action<ReportRegistry> {
public:
    /// @cond internal
    static constexpr bool in_background = false, in_worker = false;
    /// @endcond

    /// Constructs the action.
    /// @param patterns   patterns of names in the registry
    /// @param announces  whether the action notifies watches instead of printing lines
    explicit ReportRegistry(std::vector<std::string> patterns, bool announces = false)
        : patterns_(std::move(patterns)), announces_(announces) {}
    /// @cond internal
    void run(auto& context) {
        auto&& registry = context.trainer().registry();
        for (const std::string& pattern : patterns_) {
            const auto names = registry.resolve(pattern);
            if (names.empty())
                throw ArgumentError(word(), "a pattern that matches a name", sentence("'", pattern, "'"));
            for (const auto& name : names)
                if (announces_) registry.announce(name);
                else context.print(sentence(name, "  ", registry.to_text(name)));
        }
    }
    std::string text() const;
    /// @endcond

private:
    std::vector<std::string> patterns_;
    bool announces_;

    const char* word() const { return announces_ ? "announce" : "report_registry"; }
};

/// Returns an action that prints a line for each name in the trainer's registry that matches.
///
/// A firing throws ArgumentError if no name matches a pattern. Include `<sigma/trainer/registry.hpp>`.
/// @param patterns  one or more patterns, such as "network.layers.*.weights" or "shared.*"
/// @return the action, for `then`
///
/// @par Background
/// Cannot run in the background, because it reads the registry of the live trainer.
///
/// @see Registry, report
template <std::convertible_to<std::string_view>... Patterns>
    requires(sizeof...(Patterns) > 0)
ReportRegistry report_registry(const Patterns&... patterns) {
    return ReportRegistry({std::string(std::string_view(patterns))...});
}

/// Returns an action that notifies the watches of all values in the trainer's registry that match, as if they were set.
///
/// Values of the trainer change without a notification, such as the states of the optimizer after each step. With this
/// action, `Registry::watch` calls its callback at the times of the hook, on the thread that trains. A firing throws
/// ArgumentError if no name matches a pattern. Include `<sigma/trainer/registry.hpp>`.
/// @param patterns  one or more patterns, such as "optimizer.state.**" or "**.updates.**"
/// @return the action, for `then`
///
/// @par Background
/// Cannot run in the background, because it reads the registry of the live trainer.
///
/// @par Example
/// @code
/// // #include <sigma/trainer/registry.hpp>
/// const Watch watch = trainer.registry().watch("optimizer.state.**", [](std::string_view) { std::puts("new"); });
/// trainer.add(every(100, iteration).then(announce("optimizer.state.**")));
/// @endcode
///
/// @see Registry, report_registry
template <std::convertible_to<std::string_view>... Patterns>
    requires(sizeof...(Patterns) > 0)
ReportRegistry announce(const Patterns&... patterns) {
    return ReportRegistry({std::string(std::string_view(patterns))...}, true);
}

/// Returns an action that prints the speed of a trainer: "iterations_per_second 812  time_per_iteration 1.23e-03
/// last_iteration_time 1.31e-03".
/// @param scale  `iteration` or `epoch`
/// @param span   number of last iterations or epochs that are averaged, 1 or more
/// @return the action, for `then`
/// @throws ArgumentError  if `span` is less than 1
///
/// @par Background
/// Can run in the background.
///
/// @par Example
/// @code
/// trainer.add(every(1, epoch).then(report_running_time(iteration, 100)));
/// @endcode
///
/// @see time_per, per_second, last_time
template <AnyScale S>
auto report_running_time(S scale, std::integral auto span) {
    return report(per_second(scale, span), time_per(scale, span), last_time(scale));
}
/// Returns an action that prints the speed of a trainer, averaged over the last 4 iterations or epochs.
/// @param scale  `iteration` or `epoch`
/// @return the action, for `then`
///
/// @see per_second
template <AnyScale S>
auto report_running_time(S scale) {
    return report_running_time(scale, 4);
}

}  // namespace sigma

#ifndef SIGMA_COMPILED
#include <sigma/hook/impl/report.ipp>
#endif
