// SPDX-License-Identifier: BSL-1.0
#pragma once
#include <sigma/data/transform/stored.hpp>

namespace sigma::data {

namespace detail {

/// (x - min) * ((high - low) / (max - min)) + low, in double; `low` where max is min. One min and max for all numbers of a
/// record, or one for each.
class Normalize final : public InPlace {
public:
    Normalize(std::vector<double> min, std::vector<double> max, double low, double high)
        : min_(std::move(min)), max_(std::move(max)), low_(low), high_(high) {
        require_as_many("normalize", "numbers 'max'", max_, min_.size());
        if (min_.empty()) throw ArgumentError("normalize", "at least one number 'min'", "none");
        for (const auto& list : {min_, max_, {low, high}}) require_finite("normalize", list);
        for (std::size_t i = 0; i < min_.size(); ++i)
            factor_.push_back(min_[i] == max_[i] ? 0.0 : (high - low) / (max_[i] - min_[i]));
        require_finite("normalize", factor_);
    }
    std::string kind() const override { return "normalize"; }
    std::vector<std::size_t> shape(const std::vector<std::size_t>& before) const override {
        require_list(min_.size(), before);
        return before;
    }
    void apply(std::vector<float>& values, std::size_t, const std::vector<std::size_t>&) const override {
        change_each(values, min_.size(), [&](float x, std::size_t i) {
            return static_cast<float>((static_cast<double>(x) - min_[i]) * factor_[i] + low_);
        });
    }
    std::vector<TransformValue> state() const override {
        return {{"min", min_}, {"max", max_}, {"low", {low_}}, {"high", {high_}}};
    }
    static FittedPointer load(const StoredValues& s) {
        return std::make_shared<const Normalize>(s.list("min"), s.list("max"), s.number("low"), s.number("high"));
    }

private:
    std::vector<double> min_, max_;
    double low_, high_;
    std::vector<double> factor_;
};

inline Normalize normalize_range(double min, double max, double low, double high) {
    if (min == max) throw ArgumentError("normalize", "a range of two different numbers", sentence(exact(min), " twice"));
    return {{min}, {max}, low, high};
}
inline std::string normalize_text(double min, double max, double low, double high) {
    return sentence("normalize(", exact(min), ", ", exact(max), ", ", exact(low), ", ", exact(high), ")");
}

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
