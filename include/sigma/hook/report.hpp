// SPDX-License-Identifier: BSL-1.0
#pragma once
#include <sigma/core/owned.hpp>
#include <sigma/hook/file_name.hpp>
#include <sigma/hook/hook.hpp>
#include <sigma/hook/report_to.hpp>
#include <sigma/hook/texts_and_values.hpp>
#include <sigma/hook/values.hpp>

#include <concepts>
#include <initializer_list>
#include <string>
#include <string_view>

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
        } else if constexpr (requires { place.fixed(); }) {
            return ReportValues(detail::report_to(this->node, detail::to_file(place.fixed())));
        } else {
            static_assert(std::is_invocable_v<Place&, std::string_view>,
                          "a report goes to file(…), csv(…) or a function that takes a std::string_view");
            return ReportValues(detail::report_to(this->node, detail::to_call(std::move(place))));
        }
    }
    /// Digits after the point, from 1 to 6; 3 unless said.
    ReportValues decimals(Integer n) const { return ReportValues(detail::report_decimals(this->node, n)); }
};

/// `report(epoch, error, accuracy, "of those never seen")`: values and texts in one line, to the trainer's `print`.
template <class... Items>
    requires(detail::ReportItem<Items> && ...) && (sizeof...(Items) > 0)
auto report(const Items&... items) {
    return ReportValues<detail::ReadsOfItems<Items...>>(detail::make_report({detail::report_item(items)...}));
}

}  // namespace sigma

#ifndef SIGMA_COMPILED
#include <sigma/hook/impl/report.ipp>
#endif
