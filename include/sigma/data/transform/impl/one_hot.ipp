// SPDX-License-Identifier: BSL-1.0
#pragma once

#include <sigma/core/config.hpp>
#include <sigma/data/transform/load.hpp>
#include <sigma/data/transform/one_hot.hpp>
#include <sigma/data/transform/record_refused.hpp>

#include <algorithm>
#include <cmath>

namespace sigma::data::detail {

/// Each number x becomes as many as there are values: 1 at the position of x, else 0.
class OneHot final : public FittedTransform {
public:
    /// `section` is what errors call it.
    OneHot(std::vector<double> values, std::string section);
    std::string kind() const override { return "one_hot"; }
    std::vector<std::size_t> shape(const std::vector<std::size_t>& before) const override;
    void apply(NumberList& values, std::size_t, const std::vector<std::size_t>& before) const override;
    std::vector<TransformValue> state() const override { return {{"values", values_}}; }

private:
    using Place = std::pair<double, std::size_t>;

    std::string expected() const;
    /// A value as data of T have it.
    template <class T>
    static T nearest(const Place& place) {
        return static_cast<T>(place.first);
    }

    std::vector<double> values_;
    std::string section_;
    std::vector<Place> sorted_;
};

SIGMA_IMPL OneHot::OneHot(std::vector<double> values, std::string section)
    : values_(std::move(values)), section_(std::move(section)) {
    if (values_.empty()) throw ArgumentError("one_hot", "at least one value", "none");
    require_finite("one_hot", values_);
    for (std::size_t i = 0; i < values_.size(); ++i) sorted_.emplace_back(values_[i], i);
    std::ranges::sort(sorted_);
    const auto twice = std::ranges::adjacent_find(sorted_, {}, nearest<float>);
    if (twice != sorted_.end()) throw ArgumentError("one_hot", "each value once", sentence(twice->first, " again"));
}

SIGMA_IMPL std::vector<std::size_t> OneHot::shape(const std::vector<std::size_t>& before) const {
    auto after = before;
    after.push_back(values_.size());
    return after;
}

SIGMA_IMPL void OneHot::apply(NumberList& list, std::size_t, const std::vector<std::size_t>& before) const {
    const std::size_t count = values_.size();
    list.visit([&](auto& values) {
        using T = typename std::remove_cvref_t<decltype(values)>::value_type;
        std::vector<T> all(values.size() * count);
        for (std::size_t i = 0; i < values.size(); ++i) {
            const auto found = std::ranges::lower_bound(sorted_, values[i], {}, nearest<T>);
            if (found == sorted_.end() || nearest<T>(*found) != values[i])
                throw RecordRefused(section_, i / size_of(before), expected(),
                                    sentence(static_cast<double>(values[i])));
            all[i * count + found->second] = 1;
        }
        values = std::move(all);
    });
}

SIGMA_IMPL FittedPointer load_one_hot(const StoredValues& s) {
    return sigma::detail::SharedOwner<const OneHot>::make(s.list("values"), s.section);
}

SIGMA_IMPL std::string OneHot::expected() const {
    const auto &least = sorted_.front(), &most = sorted_.back();
    const auto count = static_cast<double>(values_.size());
    const bool whole = std::ranges::all_of(values_, [](double x) { return x == std::floor(x); });
    if (whole && most.first - least.first + 1 == count)
        return sentence("a whole number from ", least.first, " to ", most.first);
    return sentence("one of ", list_text(values_));
}

SIGMA_IMPL std::vector<double> whole_numbers(long long first, long long last) {
    if (last < first) throw ArgumentError("one_hot", sentence("a last value of at least ", first), sentence(last));
    constexpr long long most = 1 << 24;  // beyond, not each whole number is a float
    if (first < -most || last > most)
        throw ArgumentError("one_hot", "values from -16777216 to 16777216", sentence(first, " to ", last));
    std::vector<double> all;
    for (long long x = first; x <= last; ++x) all.push_back(static_cast<double>(x));
    return all;
}

SIGMA_IMPL TransformPointer making_one_hot(std::vector<double> values) {
    const OneHot checked(values, "");
    return fixed_transform(sentence("one_hot(", list_text(values), ")"), [values](const SectionInfo& of) {
        return sigma::detail::SharedOwner<const OneHot>::make(values, of.name);
    });
}

SIGMA_IMPL TransformPointer making_one_hot(long long first, long long last) {
    return making_one_hot(whole_numbers(first, last));
}

}  // namespace sigma::data::detail
