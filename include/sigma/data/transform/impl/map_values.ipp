// SPDX-License-Identifier: BSL-1.0
#pragma once

#include <sigma/core/config.hpp>
#include <sigma/data/transform/load.hpp>
#include <sigma/data/transform/map_values.hpp>

#include <algorithm>
#include <cmath>

namespace sigma::data::detail {

class MapValues final : public InPlace {
public:
    explicit MapValues(std::vector<ValueChange> changes);
    std::string kind() const override { return "map_values"; }
    void apply(NumberList& values, std::size_t, const std::vector<std::size_t>&) const override;
    std::vector<TransformValue> state() const override;
    std::string text() const;

private:
    using Pair = std::pair<double, double>;
    std::vector<ValueChange> changes_;
    std::vector<Pair> sorted_;
    bool maps_missing_ = false;
    double missing_ = 0;

    /// The number that is changed, as data of T have it.
    template <class T>
    static T nearest(const Pair& pair) {
        return static_cast<T>(pair.first);
    }
};

SIGMA_IMPL MapValues::MapValues(std::vector<ValueChange> changes) : changes_(std::move(changes)) {
    for (const ValueChange& c : changes_) {
        if (std::isinf(c.from) || std::isinf(c.to))
            throw ArgumentError("map_values", "finite numbers, or NaN for missing ones",
                                sentence(c.from, " to ", c.to));
        if (std::isnan(c.from)) maps_missing_ = true, missing_ = c.to;
        else sorted_.emplace_back(c.from, c.to);
    }
    std::ranges::sort(sorted_, {}, &Pair::first);
    const auto twice = std::ranges::adjacent_find(sorted_, {}, nearest<float>);
    if (twice != sorted_.end()) throw ArgumentError("map_values", "each value once", sentence(twice->first, " again"));
    if (std::ranges::count_if(changes_, [](const ValueChange& c) { return std::isnan(c.from); }) > 1)
        throw ArgumentError("map_values", "each value once", "NaN again");
}

SIGMA_IMPL void MapValues::apply(NumberList& list, std::size_t, const std::vector<std::size_t>&) const {
    list.visit([&](auto& values) {
        using T = typename std::remove_cvref_t<decltype(values)>::value_type;
        for (T& x : values) {
            if (std::isnan(x)) {
                x = maps_missing_ ? static_cast<T>(missing_) : x;
                continue;
            }
            const auto found = std::ranges::lower_bound(sorted_, x, {}, nearest<T>);
            if (found != sorted_.end() && nearest<T>(*found) == x) x = static_cast<T>(found->second);
        }
    });
}

SIGMA_IMPL std::vector<TransformValue> MapValues::state() const {
    TransformValue from{"from", {}}, to{"to", {}};
    for (const ValueChange& c : changes_) from.values.push_back(c.from), to.values.push_back(c.to);
    return {from, to};
}

SIGMA_IMPL FittedPointer load_map_values(const StoredValues& s) {
    const auto &from = s.list("from"), &to = s.list("to");
    require_as_many("map_values", "numbers 'to'", to, from.size());
    std::vector<ValueChange> changes;
    for (std::size_t i = 0; i < from.size(); ++i) changes.push_back({from[i], to[i]});
    return sigma::detail::SharedOwner<const MapValues>::make(std::move(changes));
}

SIGMA_IMPL std::string MapValues::text() const {
    std::string all = "map_values({";
    for (const ValueChange& c : changes_) all += sentence("{", c.from, ", ", c.to, "}");
    return all + "})";
}

SIGMA_IMPL TransformPointer mapping_values(std::vector<ValueChange> changes) {
    const auto fitted = sigma::detail::SharedOwner<const MapValues>::make(std::move(changes));
    return same_transform(fitted->text(), fitted);
}

}  // namespace sigma::data::detail
