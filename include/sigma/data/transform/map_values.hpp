// SPDX-License-Identifier: BSL-1.0
#pragma once
#include <sigma/data/transform/stored.hpp>

namespace sigma::data {

/// map_values(targets, {{1, 0}, {2, 1}})
struct ValueChange {
    double from, to;
};

namespace detail {

class MapValues final : public InPlace {
public:
    explicit MapValues(std::vector<ValueChange> changes);
    std::string kind() const override { return "map_values"; }
    void apply(std::vector<float>& values, std::size_t, const std::vector<std::size_t>&) const override;
    std::vector<TransformValue> state() const override;
    static FittedPointer load(const StoredValues& s);
    std::string text() const;

private:
    using Pair = std::pair<float, float>;
    std::vector<ValueChange> changes_;
    std::vector<Pair> sorted_;
    bool maps_missing_ = false;
    float missing_ = 0;
};

}  // namespace detail

/// Values that are listed become others, NaN stands for missing ones; all others stay as they are. Throws ArgumentError for
/// a value twice. Values are compared as float.
template <Text name, Role role>
auto map_values(SectionName<name, role>, std::vector<ValueChange> changes) {
    const detail::MapValues fitted(std::move(changes));
    return detail::same_transform<detail::KeepsExtents, name>(fitted.text(), fitted);
}
/// All sections.
inline auto map_values(std::vector<ValueChange> changes) {
    const detail::MapValues fitted(std::move(changes));
    return detail::same_transform<detail::KeepsExtents>(fitted.text(), fitted);
}

}  // namespace sigma::data

#ifndef SIGMA_COMPILED
#include <sigma/data/transform/impl/map_values.ipp>
#endif
