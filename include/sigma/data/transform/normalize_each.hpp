// SPDX-License-Identifier: BSL-1.0
#pragma once
#include <sigma/data/transform/stored.hpp>

#include <algorithm>

namespace sigma::data {

/// The range of one number of a record, by its position in row-major order.
struct IndexRange {
    std::size_t index;
    double min, max;
};

namespace detail {

/// As Normalize, for some numbers of a record; the others stay.
class NormalizeEach final : public InPlace {
public:
    NormalizeEach(std::vector<std::size_t> index, std::vector<double> min, std::vector<double> max, double low, double high)
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
                                    sentence(exact(min_[i]), " twice for index ", index_[i]));
            factor_.push_back((high - low) / (max_[i] - min_[i]));
            least_ = std::max(least_, index_[i] + 1);
        }
        require_finite("normalize_each", factor_);
    }
    std::string kind() const override { return "normalize_each"; }
    std::vector<std::size_t> shape(const std::vector<std::size_t>& before) const override {
        if (size_of(before) < least_)
            throw ShapeError(kind(), sentence("records of at least ", least_, " numbers"), shape_text(before));
        return before;
    }
    void apply(std::vector<float>& values, std::size_t, const std::vector<std::size_t>& before) const override {
        const std::size_t size = size_of(before);
        for (std::size_t first = 0; first < values.size(); first += size)
            for (std::size_t i = 0; i < index_.size(); ++i) {
                float& x = values[first + index_[i]];
                x = static_cast<float>((static_cast<double>(x) - min_[i]) * factor_[i] + low_);
            }
    }
    std::vector<TransformValue> state() const override {
        return {{"index", as_numbers(index_)}, {"min", min_}, {"max", max_}, {"low", {low_}}, {"high", {high_}}};
    }
    static FittedPointer load(const StoredValues& s) {
        return std::make_shared<const NormalizeEach>(s.counts("index"), s.list("min"), s.list("max"), s.number("low"),
                                                     s.number("high"));
    }

private:
    std::vector<std::size_t> index_;
    std::vector<double> min_, max_;
    double low_, high_;
    std::vector<double> factor_;
    std::size_t least_ = 0;
};

template <Text... names>
auto normalize_each(const std::vector<IndexRange>& ranges, double low, double high) {
    std::vector<std::size_t> index;
    std::vector<double> min, max;
    std::string text = "normalize_each({";
    for (const IndexRange& r : ranges) {
        index.push_back(r.index), min.push_back(r.min), max.push_back(r.max);
        text += sentence("{", r.index, ", ", exact(r.min), ", ", exact(r.max), "}");
    }
    text += sentence("}, ", exact(low), ", ", exact(high), ")");
    return same_transform<KeepsExtents, names...>(
        std::move(text), NormalizeEach(std::move(index), std::move(min), std::move(max), low, high));
}

}  // namespace detail

/// As normalize(), with a range for each number of a record that is listed, normalize_each(inputs, {{0, 4.3, 7.9}, {2, 1,
/// 6.9}}); the others stay as they are. Throws ArgumentError for an index twice and for an empty range.
template <Text name, Role role>
auto normalize_each(SectionName<name, role>, const std::vector<IndexRange>& ranges, double min_out = 0, double max_out = 1) {
    return detail::normalize_each<name>(ranges, min_out, max_out);
}
/// All sections.
inline auto normalize_each(const std::vector<IndexRange>& ranges, double min_out = 0, double max_out = 1) {
    return detail::normalize_each<>(ranges, min_out, max_out);
}

}  // namespace sigma::data
