// SPDX-License-Identifier: BSL-1.0
#pragma once
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

// No constants: a layout that does not fit its values does not compile, and the compiler names one of these.
[[noreturn]] void error_layout_has_other_number_of_braces_than_values(int braces, int values);
[[noreturn]] void error_layout_has_a_brace_that_is_not_closed(std::string_view layout);
[[noreturn]] void error_layout_is_none_of_width_digits_and_d_f_e_g_or_percent(std::string_view layout);
[[noreturn]] void error_layout_writes_a_count_by_d(std::string_view layout);
[[noreturn]] void error_layout_writes_a_number_that_is_no_count_by_f_e_g_or_percent(std::string_view layout);
[[noreturn]] void error_report_with_a_layout_takes_values_only(std::string_view layout);

namespace detail {

/// A text between values, or how the next value is written.
struct LayoutPart {
    std::string_view text{};
    bool is_value = false, is_closed = true, is_known = true;
    NumberFormat format{};
};

/// [<>][+][0][width][.digits][letter], or nothing.
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

/// Takes the next part away from a layout: "{}", "{:8.4f}", or a text, in which "{{" and "}}" are braces.
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

/// A text that stands before values, or that says how they are written: "epoch {:2}  loss {:.4f}".
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

/// A value that is reported, by its name.
struct ReportedNumber {
    std::string_view name;
    double number;
};

/// Where reports go, other than to the trainer's `print`.
class ReportPlace {
public:
    virtual ~ReportPlace() = default;
    virtual detail::Owned<ReportPlace> clone() const = 0;
    /// Does it want rows of a table in place of lines?
    virtual bool rows() const { return false; }
    /// Before the first row.
    virtual void start(std::string_view) {}
    virtual void write(std::string_view line) = 0;
    /// Does it want numbers in place of texts? Then these are all that it gets.
    virtual bool numbers() const { return false; }
    virtual void write(std::uint64_t /*iteration*/, std::span<const ReportedNumber>) {}
    virtual void restart() {}
    /// Several workers have a place each: files have the worker's number in their name.
    virtual void of_worker(int /*number*/) {}
    virtual void archive(Archive&) {}
    virtual std::string text() const = 0;
};

}  // namespace detail

/// A table: a file of names and then rows, which begins anew with its hook and after a reset of the trainer, and goes
/// on where the trainer goes on from a checkpoint.
struct ReportToCsv {
    std::string name;
};
/// `report(…).to(csv("curve.csv"))` writes the names of values, then their numbers with all digits.
ReportToCsv csv(std::string name);

namespace detail {

detail::Owned<ReportPlace> to_csv(const ReportToCsv& table);
/// The end of a file: `report(…).to(file("log.txt"))`.
detail::Owned<ReportPlace> to_file(std::string name);
/// A function that takes a line.
detail::Owned<ReportPlace> to_call(AnyFunction<void(std::string_view)> f);

template <class Integer>
concept ReportItem = AnyValue<Integer> || std::convertible_to<Integer, std::string_view>;

template <ReportItem Integer>
TextOrValue report_item(const Integer& item) {
    if constexpr (AnyValue<Integer>) return {item.text(), value_of(item)};
    else return {std::string(std::string_view(item))};
}

ActionHandle make_report(std::initializer_list<TextOrValue> items);
/// Values by a layout, or after a text without braces.
ActionHandle make_report(std::string_view layout, std::initializer_list<TextOrValue> items);
/// The same report to another place.
ActionHandle report_to(const ActionHandle& report, detail::Owned<ReportPlace> place);
/// The same with so many digits after the point: ArgumentError unless from 1 to 6.
ActionHandle report_decimals(const ActionHandle& report, Integer n);

}  // namespace detail

/// Says values and texts in one line, "epoch 3  error 0.213  accuracy 0.954". Makes no allocation after the first line.
template <class Reads>
class ReportValues : public detail::MadeAction<Reads> {
public:
    using detail::MadeAction<Reads>::MadeAction;

    /// Where the line goes, in place of the trainer's `print`: `file(…)`, `csv(…)`, or a function of std::string_view.
    template <class Place>
    ReportValues to(Place place) const {
        if constexpr (std::is_same_v<Place, ReportToCsv>) {
            static_assert(Reads::count > 0, "a table needs a value");
            return ReportValues(detail::report_to(this->node, detail::to_csv(place)));
        } else if constexpr (requires { place.report_place(); }) {
            static_assert(Reads::count > 0, "what takes numbers needs a value");
            return ReportValues(detail::report_to(this->node, place.report_place()));
        } else if constexpr (requires { place.fixed(); }) {
            return ReportValues(detail::report_to(this->node, detail::to_file(place.fixed())));
        } else {
            static_assert(std::is_invocable_v<Place&, std::string_view>,
                          "a report goes to file(…), csv(…) or a function that takes a std::string_view");
            return ReportValues(detail::report_to(this->node, detail::to_call(std::move(place))));
        }
    }
    /// Digits after the point, from 1 to 6; 3 unless said. A layout says so itself: ArgumentError.
    ReportValues decimals(detail::Integer n) const { return ReportValues(detail::report_decimals(this->node, n)); }
};

/// `report(epoch, error, accuracy, "of those never seen")`: values and texts in one line, to the trainer's `print`.
template <class First, class... Items>
    requires(!std::is_array_v<First> && detail::ReportItem<First> && (detail::ReportItem<Items> && ...))
auto report(const First& first, const Items&... items) {
    return ReportValues<detail::ReadsOfItems<First, Items...>>(
        detail::make_report({detail::report_item(first), detail::report_item(items)...}));
}
struct include_sigma_data_data_hpp;
template <class>
struct error_csv_that_reads_a_file_is_in_namespace_data;
template <class Reads>
error_csv_that_reads_a_file_is_in_namespace_data<include_sigma_data_data_hpp> csv(const FileName<Reads>&);

/// A text first, or with braces a layout of all values: `report("epoch {:2}  loss {:.4f}", epoch, training_loss)`. As
/// in std::format braces hold nothing or `:[<>][+][0][width][.digits][letter]`, of letters f, e, g and % (0.25 is 25%),
/// and d of counts; "{{" is a brace. A layout that does not fit the values does not compile.
template <class... Items>
    requires(detail::ReportItem<Items> && ...)
auto report(std::type_identity_t<detail::layout_for<Items...>> layout, const Items&... items) {
    return ReportValues<detail::ReadsOfItems<Items...>>(
        detail::make_report(layout.text(), {detail::report_item(items)...}));
}

/// Says what the registry of the trainer holds under some names.
class ReportRegistry : public Action<ReportRegistry> {
public:
    static constexpr bool in_background = false, in_worker = false;

    explicit ReportRegistry(std::vector<std::string> patterns) : patterns_(std::move(patterns)) {}
    void run(auto& context) {
        auto&& registry = context.trainer().registry();
        for (const std::string& pattern : patterns_) {
            const auto names = registry.resolve(pattern);
            if (names.empty())
                throw ArgumentError("report_registry", "a pattern that matches a name", sentence("'", pattern, "'"));
            for (const auto& name : names) context.print(sentence(name, "  ", registry.to_text(name)));
        }
    }
    std::string text() const;

private:
    std::vector<std::string> patterns_;
};

/// `report_registry("network.layers.*.weights", "shared.*")`: a line for each name that matches. Throws ArgumentError
/// when none matches a pattern.
template <std::convertible_to<std::string_view>... Patterns>
    requires(sizeof...(Patterns) > 0)
ReportRegistry report_registry(const Patterns&... patterns) {
    return ReportRegistry({std::string(std::string_view(patterns))...});
}

/// How fast a trainer is. With the scale of iterations or epochs, a line such as
/// "iterations_per_second 812  time_per_iteration 1.23e-03  last_iteration_time 1.31e-03".
template <AnyScale S>
auto report_running_time(S scale, std::integral auto span) {
    return report(per_second(scale, span), time_per(scale, span), last_time(scale));
}
template <AnyScale S>
auto report_running_time(S scale) {
    return report_running_time(scale, 4);
}

}  // namespace sigma

#ifndef SIGMA_COMPILED
#include <sigma/hook/impl/report.ipp>
#endif
