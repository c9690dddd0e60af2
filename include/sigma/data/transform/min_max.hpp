// SPDX-License-Identifier: BSL-1.0
#pragma once
#include <sigma/data/transform/normalize.hpp>

#include <limits>

namespace sigma::data {

namespace detail {

/// Least and largest of each feature, or of all. NaN are passed over; nothing but NaN counts as 0.
class MinMaxFit final : public TransformFit {
public:
    MinMaxFit(const SectionInfo& of, bool whole, double low, double high);

    void observe(std::span<const float> values, std::size_t records) override;
    FittedPointer finish() override;

private:
    static constexpr float infinity = std::numeric_limits<float>::infinity();
    std::vector<float> least_, largest_;
    bool whole_;
    double low_, high_;
};

template <Text... names>
auto learned_range(const char* word, bool whole, double low, double high) {
    require_finite(word, {low, high});
    return learned_transform<KeepsExtents, names...>(
        sentence(word, "(", exact(low), ", ", exact(high), ")"),
        [=](const SectionInfo& of) { return std::make_unique<MinMaxFit>(of, whole, low, high); });
}

}  // namespace detail

/// Each feature from its least and largest in the data that it is learned from to min_out and max_out; a feature that never
/// changes becomes min_out.
template <Text name, Role role>
auto min_max(SectionName<name, role>, double min_out = 0, double max_out = 1) {
    return detail::learned_range<name>("min_max", false, min_out, max_out);
}
/// All sections.
inline auto min_max(double min_out = 0, double max_out = 1) {
    return detail::learned_range<>("min_max", false, min_out, max_out);
}

/// All numbers of a section alike, from their least and largest in the data that it is learned from to min_out and max_out.
template <Text name, Role role>
auto normalize_adaptive(SectionName<name, role>, double min_out = 0, double max_out = 1) {
    return detail::learned_range<name>("normalize_adaptive", true, min_out, max_out);
}
/// All sections, each with a range of its own.
inline auto normalize_adaptive(double min_out = 0, double max_out = 1) {
    return detail::learned_range<>("normalize_adaptive", true, min_out, max_out);
}

}  // namespace sigma::data

#ifndef SIGMA_COMPILED
#include <sigma/data/transform/impl/min_max.ipp>
#endif
