// SPDX-License-Identifier: BSL-1.0
#pragma once
#include <sigma/core/owners.hpp>
#include <sigma/hook/file_name.hpp>
#include <sigma/hook/hook.hpp>
#include <sigma/hook/report_layout.hpp>
#include <sigma/hook/report_to.hpp>
#include <sigma/hook/texts_and_values.hpp>
#include <sigma/hook/values.hpp>

#include <concepts>
#include <initializer_list>
#include <string>
#include <string_view>
#include <type_traits>

namespace sigma {

namespace detail {

template <class I>
concept ReportItem = AnyValue<I> || std::convertible_to<I, std::string_view>;

template <ReportItem I>
TextOrValue report_item(const I& item) {
    if constexpr (AnyValue<I>) return {item.text(), value_of(item)};
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

}  // namespace sigma

#ifndef SIGMA_COMPILED
#include <sigma/hook/impl/report.ipp>
#endif
