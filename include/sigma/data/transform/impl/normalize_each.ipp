// SPDX-License-Identifier: BSL-1.0
#pragma once

#include <sigma/core/config.hpp>
#include <sigma/data/transform/load.hpp>
#include <sigma/data/transform/normalize_each.hpp>

#include <algorithm>

namespace sigma::data::detail {

/// As Normalize, for some numbers of a record; the others stay.
class NormalizeEach final : public InPlace {
public:
    NormalizeEach(std::vector<std::size_t> index, std::vector<double> min, std::vector<double> max, double low,
                  double high);
    std::string kind() const override { return "normalize_each"; }
    std::vector<std::size_t> shape(const std::vector<std::size_t>& before) const override;
    void apply(NumberList& values, std::size_t, const std::vector<std::size_t>& before) const override;
    bool undo(NumberList& values, const std::vector<std::size_t>& shape) const override;
    std::vector<TransformValue> state() const override;

private:
    /// Each of the numbers x at index_[i] becomes f(x, i).
    template <class F>
    void change(NumberList& list, const std::vector<std::size_t>& record, F f) const {
        list.visit([&](auto& values) {
            using T = typename std::remove_cvref_t<decltype(values)>::value_type;
            for (std::size_t first = 0; first < values.size(); first += size_of(record))
                for (std::size_t i = 0; i < index_.size(); ++i) {
                    T& x = values[first + index_[i]];
                    x = static_cast<T>(f(static_cast<double>(x), i));
                }
        });
    }

    std::vector<std::size_t> index_;
    std::vector<double> min_, max_;
    double low_, high_;
    std::vector<double> factor_;
    std::size_t least_ = 0;
};

SIGMA_IMPL NormalizeEach::NormalizeEach(std::vector<std::size_t> index, std::vector<double> min,
                                        std::vector<double> max, double low, double high)
    : index_(std::move(index)), min_(std::move(min)), max_(std::move(max)), low_(low), high_(high) {
    require_as_many("normalize_each", "numbers 'min'", min_, index_.size());
    require_as_many("normalize_each", "numbers 'max'", max_, index_.size());
    for (const auto& list : {min_, max_, {low, high}}) require_finite("normalize_each", list);
    auto sorted = index_;
    std::ranges::sort(sorted);
    if (const auto twice = std::ranges::adjacent_find(sorted); twice != sorted.end())
        throw ArgumentError("normalize_each", "each index once", sentence("index ", *twice, " again"));
    for (std::size_t i = 0; i < index_.size(); ++i) {
        if (min_[i] == max_[i])
            throw ArgumentError("normalize_each", "ranges of two different numbers",
                                sentence(min_[i], " twice for index ", index_[i]));
        factor_.push_back((high - low) / (max_[i] - min_[i]));
        least_ = std::max(least_, index_[i] + 1);
    }
    require_finite("normalize_each", factor_);
}

SIGMA_IMPL std::vector<std::size_t> NormalizeEach::shape(const std::vector<std::size_t>& before) const {
    if (size_of(before) < least_)
        throw ShapeError(kind(), sentence("records of at least ", least_, " numbers"),
                         sigma::detail::shape_text(before));
    return before;
}

SIGMA_IMPL void NormalizeEach::apply(NumberList& values, std::size_t, const std::vector<std::size_t>& before) const {
    change(values, before, [&](double x, std::size_t i) { return (x - min_[i]) * factor_[i] + low_; });
}

SIGMA_IMPL bool NormalizeEach::undo(NumberList& values, const std::vector<std::size_t>& shape) const {
    if (low_ == high_) return false;
    change(values, NormalizeEach::shape(shape),
           [&](double x, std::size_t i) { return (x - low_) / factor_[i] + min_[i]; });
    return true;
}

SIGMA_IMPL std::vector<TransformValue> NormalizeEach::state() const {
    return {{"index", as_numbers(index_)}, {"min", min_}, {"max", max_}, {"low", {low_}}, {"high", {high_}}};
}

SIGMA_IMPL FittedPointer load_normalize_each(const StoredValues& s) {
    return sigma::detail::SharedOwner<const NormalizeEach>::make(s.counts("index"), s.list("min"), s.list("max"),
                                                                 s.number("low"), s.number("high"));
}

SIGMA_IMPL TransformPointer normalizing_each(const std::vector<IndexRange>& ranges, double low, double high) {
    std::vector<std::size_t> index;
    std::vector<double> min, max;
    std::string text = "normalize_each({";
    for (const IndexRange& r : ranges) {
        index.push_back(r.index), min.push_back(r.min), max.push_back(r.max);
        text += sentence("{", r.index, ", ", r.min, ", ", r.max, "}");
    }
    text += sentence("}, ", low, ", ", high, ")");
    return same_transform(std::move(text), sigma::detail::SharedOwner<const NormalizeEach>::make(
                                               std::move(index), std::move(min), std::move(max), low, high));
}

}  // namespace sigma::data::detail
