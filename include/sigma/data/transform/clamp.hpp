// SPDX-License-Identifier: BSL-1.0
#pragma once
#include <sigma/data/transform/stored.hpp>

namespace sigma::data {

namespace detail {

class Clamp final : public InPlace {
public:
    Clamp(double low, double high);
    std::string kind() const override { return "clamp"; }
    void apply(std::vector<float>& values, std::size_t, const std::vector<std::size_t>&) const override;
    std::vector<TransformValue> state() const override { return {{"low", {low_}}, {"high", {high_}}}; }
    static FittedPointer load(const StoredValues& s);
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

#ifndef SIGMA_COMPILED
#include <sigma/data/transform/impl/clamp.ipp>
#endif
