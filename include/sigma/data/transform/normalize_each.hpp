// SPDX-License-Identifier: BSL-1.0
#pragma once
#include <sigma/data/transform/stored.hpp>

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
    NormalizeEach(std::vector<std::size_t> index, std::vector<double> min, std::vector<double> max, double low,
                  double high);
    std::string kind() const override { return "normalize_each"; }
    std::vector<std::size_t> shape(const std::vector<std::size_t>& before) const override;
    void apply(std::vector<float>& values, std::size_t, const std::vector<std::size_t>& before) const override;
    std::vector<TransformValue> state() const override;
    static FittedPointer load(const StoredValues& s);

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

#ifndef SIGMA_COMPILED
#include <sigma/data/transform/impl/normalize_each.ipp>
#endif
