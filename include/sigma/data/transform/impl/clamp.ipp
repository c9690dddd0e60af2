// SPDX-License-Identifier: BSL-1.0
#pragma once

#include <sigma/core/config.hpp>
#include <sigma/data/transform/clamp.hpp>
#include <sigma/data/transform/load.hpp>

namespace sigma::data::detail {

class Clamp final : public InPlace {
public:
    Clamp(double low, double high);
    std::string kind() const override { return "clamp"; }
    void apply(NumberList& values, std::size_t, const std::vector<std::size_t>&) const override;
    bool undo(NumberList&, const std::vector<std::size_t>&) const override { return true; }
    std::vector<TransformValue> state() const override { return {{"low", {low_}}, {"high", {high_}}}; }
    std::string text() const { return sentence("clamp(", low_, ", ", high_, ")"); }

private:
    double low_, high_;
};

SIGMA_IMPL Clamp::Clamp(double low, double high) : low_(low), high_(high) {
    require_finite("clamp", {low, high});
    if (!(low <= high)) throw ArgumentError("clamp", sentence("a high of at least ", low), sentence(high));
}

SIGMA_IMPL void Clamp::apply(NumberList& values, std::size_t, const std::vector<std::size_t>&) const {
    change_each(values, 1, [&](double x, std::size_t) {
        return x < low_ ? low_ : x > high_ ? high_ : x;
    });  // NaN stays
}

SIGMA_IMPL FittedPointer load_clamp(const StoredValues& s) {
    return sigma::detail::SharedOwner<const Clamp>::make(s.number("low"), s.number("high"));
}

SIGMA_IMPL TransformPointer clamping(double low, double high) {
    const auto fitted = sigma::detail::SharedOwner<const Clamp>::make(low, high);
    return same_transform(fitted->text(), fitted);
}

}  // namespace sigma::data::detail
