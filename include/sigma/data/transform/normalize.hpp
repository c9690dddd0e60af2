// SPDX-License-Identifier: BSL-1.0
#pragma once
#include <sigma/data/transform/stored.hpp>

namespace sigma::data {

namespace detail {

/// (x - min) * ((high - low) / (max - min)) + low, in double; `low` where max is min. One min and max for all numbers of a
/// record, or one for each.
class Normalize final : public InPlace {
public:
    Normalize(std::vector<double> min, std::vector<double> max, double low, double high);
    std::string kind() const override { return "normalize"; }
    std::vector<std::size_t> shape(const std::vector<std::size_t>& before) const override;
    void apply(std::vector<float>& values, std::size_t, const std::vector<std::size_t>&) const override;
    std::vector<TransformValue> state() const override;
    static FittedPointer load(const StoredValues& s);

private:
    std::vector<double> min_, max_;
    double low_, high_;
    std::vector<double> factor_;
};

Normalize normalize_range(double min, double max, double low, double high);
std::string normalize_text(double min, double max, double low, double high);

}  // namespace detail

/// x becomes (x - min_in) * ((max_out - min_out) / (max_in - min_in)) + min_out, computed in double: normalize(inputs, 0, 255)
/// gives the bits of x / 255.0f for all bytes. Numbers out of the range stay out of the other. Throws ArgumentError where
/// min_in is max_in or a number is not finite.
template <Text name, Role role>
auto normalize(SectionName<name, role>, double min_in, double max_in, double min_out = 0, double max_out = 1) {
    return detail::same_transform<detail::KeepsExtents, name>(
        detail::normalize_text(min_in, max_in, min_out, max_out),
        detail::normalize_range(min_in, max_in, min_out, max_out));
}
/// All sections.
inline auto normalize(double min_in, double max_in, double min_out = 0, double max_out = 1) {
    return detail::same_transform<detail::KeepsExtents>(detail::normalize_text(min_in, max_in, min_out, max_out),
                                                        detail::normalize_range(min_in, max_in, min_out, max_out));
}

}  // namespace sigma::data

#ifndef SIGMA_COMPILED
#include <sigma/data/transform/impl/normalize.ipp>
#endif
