// SPDX-License-Identifier: BSL-1.0
#pragma once

#include <sigma/core/config.hpp>
#include <sigma/data/transform/load.hpp>
#include <sigma/data/transform/normalize.hpp>

namespace sigma::data::detail {

/// (x - min) * ((high - low) / (max - min)) + low, in double; `low` where max is min. One min and max for all numbers
/// of a record, or one for each.
class Normalize final : public InPlace {
public:
    Normalize(std::vector<double> min, std::vector<double> max, double low, double high);
    std::string kind() const override { return "normalize"; }
    std::vector<std::size_t> shape(const std::vector<std::size_t>& before) const override;
    void apply(NumberList& values, std::size_t, const std::vector<std::size_t>&) const override;
    bool undo(NumberList& values, const std::vector<std::size_t>& shape) const override;
    std::vector<TransformValue> state() const override;

private:
    std::vector<double> min_, max_;
    double low_, high_;
    std::vector<double> factor_;
};

SIGMA_IMPL Normalize::Normalize(std::vector<double> min, std::vector<double> max, double low, double high)
    : min_(std::move(min)), max_(std::move(max)), low_(low), high_(high) {
    require_as_many("normalize", "numbers 'max'", max_, min_.size());
    if (min_.empty()) throw ArgumentError("normalize", "at least one number 'min'", "none");
    for (const auto& list : {min_, max_, {low, high}}) require_finite("normalize", list);
    for (std::size_t i = 0; i < min_.size(); ++i)
        factor_.push_back(min_[i] == max_[i] ? 0.0 : (high - low) / (max_[i] - min_[i]));
    require_finite("normalize", factor_);
}

SIGMA_IMPL std::vector<std::size_t> Normalize::shape(const std::vector<std::size_t>& before) const {
    require_list(min_.size(), before);
    return before;
}

SIGMA_IMPL void Normalize::apply(NumberList& values, std::size_t, const std::vector<std::size_t>&) const {
    change_each(values, min_.size(), [&](double x, std::size_t i) { return (x - min_[i]) * factor_[i] + low_; });
}

SIGMA_IMPL bool Normalize::undo(NumberList& values, const std::vector<std::size_t>& shape) const {
    if (low_ == high_) return false;
    require_list(min_.size(), shape);
    change_each(values, min_.size(), [&](double x, std::size_t i) {  // a feature that never changed is its one number
        return factor_[i] != 0 ? (x - low_) / factor_[i] + min_[i] : min_[i];
    });
    return true;
}

SIGMA_IMPL std::vector<TransformValue> Normalize::state() const {
    return {{"min", min_}, {"max", max_}, {"low", {low_}}, {"high", {high_}}};
}

SIGMA_IMPL FittedPointer load_normalize(const StoredValues& s) {
    return sigma::detail::SharedOwner<const Normalize>::make(s.list("min"), s.list("max"), s.number("low"),
                                                             s.number("high"));
}

SIGMA_IMPL FittedPointer fitted_normalize(std::vector<double> min, std::vector<double> max, double low, double high) {
    return sigma::detail::SharedOwner<const Normalize>::make(std::move(min), std::move(max), low, high);
}

SIGMA_IMPL TransformPointer normalizing(double min, double max, double low, double high) {
    if (min == max) throw ArgumentError("normalize", "a range of two different numbers", sentence(min, " twice"));
    return same_transform(sentence("normalize(", min, ", ", max, ", ", low, ", ", high, ")"),
                          fitted_normalize({min}, {max}, low, high));
}

}  // namespace sigma::data::detail
