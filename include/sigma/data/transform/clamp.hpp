// SPDX-License-Identifier: BSL-1.0
#pragma once
#include <sigma/data/transform/stored.hpp>

namespace sigma::data {

namespace detail {

class Clamp final : public InPlace {
public:
    Clamp(double low, double high) : low_(low), high_(high) {
        require_finite("clamp", {low, high});
        if (!(low <= high)) throw ArgumentError("clamp", sentence("a high of at least ", exact(low)), exact(high));
    }
    std::string kind() const override { return "clamp"; }
    void apply(std::vector<float>& values, std::size_t, const std::vector<std::size_t>&) const override {
        const auto low = static_cast<float>(low_), high = static_cast<float>(high_);
        for (float& x : values) x = x < low ? low : x > high ? high : x;  // NaN stays
    }
    std::vector<TransformValue> state() const override { return {{"low", {low_}}, {"high", {high_}}}; }
    static FittedPointer load(const StoredValues& s) {
        return std::make_shared<const Clamp>(s.number("low"), s.number("high"));
    }
    std::string text() const { return sentence("clamp(", exact(low_), ", ", exact(high_), ")"); }

private:
    double low_, high_;
};

}  // namespace detail

/// Numbers below `low` become low, those above `high` high. Throws ArgumentError where low is above high.
template <Text name, Role role>
auto clamp(SectionName<name, role>, double low, double high) {
    const detail::Clamp fitted(low, high);
    return detail::same_transform<detail::KeepsExtents, name>(fitted.text(), fitted);
}
/// All sections.
inline auto clamp(double low, double high) {
    const detail::Clamp fitted(low, high);
    return detail::same_transform<detail::KeepsExtents>(fitted.text(), fitted);
}

}  // namespace sigma::data
