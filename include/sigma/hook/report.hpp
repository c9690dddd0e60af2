// SPDX-License-Identifier: BSL-1.0
#pragma once
#include <sigma/hook/action.hpp>
#include <sigma/hook/number_text.hpp>
#include <sigma/hook/file_name.hpp>
#include <sigma/hook/report_to.hpp>

#include <array>
#include <concepts>
#include <tuple>

namespace sigma {

/// A text between the values of a report.
struct ReportText {
    std::string words;
};

namespace detail {

template <class I>
concept ReportItem = AnyValue<I> || std::convertible_to<I, std::string_view>;

template <class I>
auto as_report_item(I item) {
    if constexpr (AnyValue<I>) return item;
    else return ReportText{std::string(std::string_view(item))};
}
template <class I>
std::string report_name(const I& item) {
    if constexpr (AnyValue<I>) return item.text();
    else return item.words;
}
template <class I>
using ReportReads = std::conditional_t<AnyValue<I>, Types<I>, Types<>>;

/// A field of a table: between quotation marks where it holds a comma or one of them.
void append_field(std::string& to, std::string_view field);

}  // namespace detail

/// Says values and texts in one line, "epoch 3  error 0.213  accuracy 0.954". Makes no allocation after the first line.
template <class To, class... Items>
class ReportValues : public Action<ReportValues<To, Items...>> {
public:
    using Reads = detail::JoinedTypes<detail::ReportReads<Items>...>;

    ReportValues(To to, int decimals, Items... items)
        : to_(std::move(to)), decimals_(decimals), names_{detail::report_name(items)...}, items_(std::move(items)...) {}

    /// Where the line goes, in place of the trainer's `print`: `file(…)`, `csv(…)`, or a function of std::string_view.
    template <class Place>
    auto to(Place place) const {
        const auto with = [&](auto sink) {
            return std::apply([&](const auto&... i) { return ReportValues<decltype(sink), Items...>(std::move(sink), decimals_, i...); },
                              items_);
        };
        if constexpr (requires { Place::rows; }) {
            return with(std::move(place));
        } else if constexpr (requires { place.fixed(); }) {
            return with(ReportToFile(place.fixed()));
        } else {
            static_assert(std::is_invocable_v<Place&, std::string_view>,
                          "a report goes to file(…), csv(…) or a function that takes a std::string_view");
            return with(ReportToCall<Place>{std::move(place)});
        }
    }
    /// Digits after the point, from 1 to 6; 3 unless said.
    ReportValues decimals(int n) const {
        if (n < 1 || n > 6) throw ArgumentError("decimals of report", "1 to 6", sentence(n));
        ReportValues r = *this;
        r.decimals_ = n;
        return r;
    }

    void visit_values(auto f) {
        const auto visit = [&](auto& item) {
            if constexpr (AnyValue<std::remove_cvref_t<decltype(item)>>) f(item);
        };
        std::apply([&](auto&... item) { (visit(item), ...); }, items_);
    }
    void run(auto& context) {
        if constexpr (To::rows) {
            static_assert(Reads::count > 0, "a table needs a value");
            make_header();
            to_.start(line_);
            line_.clear();
            std::apply([&](const auto&... item) { (append_cell(context, item), ...); }, items_);
            line_.pop_back();
        } else {
            line_.clear();
            std::size_t i = 0;
            std::apply([&](const auto&... item) { (append(context, item, names_[i++]), ...); }, items_);
        }
        to_.write(context, line_);
    }
    void restart(auto&) { to_.restart(); }
    void archive(Archive& a) { to_.archive(a); }
    std::string text() const {
        std::string all;
        const auto add = [&](const auto& item) {
            constexpr bool quoted = !AnyValue<std::remove_cvref_t<decltype(item)>>;
            all += sentence(all.empty() ? "" : ", ", quoted ? "\"" : "", detail::report_name(item), quoted ? "\"" : "");
        };
        std::apply([&](const auto&... item) { (add(item), ...); }, items_);
        const bool rounded = !To::rows && decimals_ != 3;
        return sentence("report(", all, ")", rounded ? sentence(".decimals(", decimals_, ")") : "", to_.text());
    }

private:
    To to_;
    int decimals_;
    std::array<std::string, sizeof...(Items)> names_;
    std::tuple<Items...> items_;
    std::string line_;

    template <class I>
    void append(const auto& context, const I& item, const std::string& name) {
        if constexpr (!AnyValue<I>) {
            if (!line_.empty()) line_ += "  ";
            line_ += item.words;
        } else {
            if (!line_.empty()) line_ += "  ";
            line_ += name;
            line_ += ' ';
            const double x = context.get(item);
            if constexpr (requires { I::scale; }) detail::append_count(line_, x);
            else detail::append_number(line_, x, decimals_);
        }
    }
    template <class I>
    void append_cell(const auto& context, const I& item) {
        if constexpr (AnyValue<I>) {
            detail::append_exact(line_, context.get(item));
            line_ += ',';
        }
    }
    void make_header() {
        line_.clear();
        std::size_t i = 0;
        const auto add = [&]<class I>(const I&, const std::string& name) {
            if constexpr (AnyValue<I>) {
                detail::append_field(line_, name);
                line_ += ',';
            }
        };
        std::apply([&](const auto&... item) { (add(item, names_[i++]), ...); }, items_);
        line_.pop_back();
    }
};

/// `report(epoch, error, accuracy, "of those never seen")`: values and texts in one line, to the trainer's `print`.
template <class... Items>
    requires(detail::ReportItem<Items> && ...) && (sizeof...(Items) > 0)
auto report(Items... items) {
    return ReportValues<ReportToPrint, decltype(detail::as_report_item(items))...>(ReportToPrint{}, 3,
                                                                             detail::as_report_item(items)...);
}

}  // namespace sigma

#ifndef SIGMA_COMPILED
#include <sigma/hook/impl/report.ipp>
#endif
