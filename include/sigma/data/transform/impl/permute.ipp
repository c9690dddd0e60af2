// SPDX-License-Identifier: BSL-1.0
#pragma once

#include <sigma/core/config.hpp>
#include <sigma/data/transform/load.hpp>
#include <sigma/data/transform/permute.hpp>

#include <algorithm>

namespace sigma::data::detail {

/// Axis i of the result is axis axes[i] of what there was.
class Permute final : public FittedTransform {
public:
    explicit Permute(std::vector<std::size_t> axes);
    std::string kind() const override { return "permute"; }
    std::vector<std::size_t> shape(const std::vector<std::size_t>& before) const override;
    void apply(NumberList& values, std::size_t, const std::vector<std::size_t>& before) const override;
    std::vector<TransformValue> state() const override { return {{"axes", as_numbers(axes_)}}; }

private:
    /// Where each number of a record comes from.
    std::vector<std::size_t> positions(const std::vector<std::size_t>& before) const;

    std::vector<std::size_t> axes_;
};

SIGMA_IMPL Permute::Permute(std::vector<std::size_t> axes) : axes_(std::move(axes)) {
    auto sorted = axes_;
    std::ranges::sort(sorted);
    for (std::size_t i = 0; i < sorted.size(); ++i)
        if (sorted[i] != i)
            throw ArgumentError("permute", sentence("each axis from 0 to ", sorted.size() - 1, " once"),
                                sigma::detail::shape_text(axes_));
}

SIGMA_IMPL std::vector<std::size_t> Permute::shape(const std::vector<std::size_t>& before) const {
    if (before.size() != axes_.size())
        throw ShapeError("permute", sentence("records of ", axes_.size(), " axes"), sigma::detail::shape_text(before));
    std::vector<std::size_t> after;
    for (const std::size_t axis : axes_) after.push_back(before[axis]);
    return after;
}

SIGMA_IMPL void Permute::apply(NumberList& list, std::size_t, const std::vector<std::size_t>& before) const {
    const auto from = positions(before);
    list.visit([&](auto& values) {
        std::remove_cvref_t<decltype(values)> all;
        all.reserve(values.size());
        for (std::size_t first = 0; first < values.size(); first += from.size())
            for (const std::size_t at : from) all.push_back(values[first + at]);
        values = std::move(all);
    });
}

SIGMA_IMPL std::vector<std::size_t> Permute::positions(const std::vector<std::size_t>& before) const {
    std::vector<std::size_t> stride(before.size(), 1);
    for (std::size_t i = before.size(); i-- > 1;) stride[i - 1] = stride[i] * before[i];
    std::vector<std::size_t> all{0};
    for (const std::size_t axis : axes_) {  // the leading axes are there: each place becomes one for each further index
        std::vector<std::size_t> longer;
        for (const std::size_t at : all)
            for (std::size_t i = 0; i < before[axis]; ++i) longer.push_back(at + i * stride[axis]);
        all = std::move(longer);
    }
    return all;
}

SIGMA_IMPL FittedPointer load_permute(const StoredValues& s) {
    return sigma::detail::SharedOwner<const Permute>::make(s.counts("axes"));
}

SIGMA_IMPL TransformPointer permuting(const std::vector<std::size_t>& axes) {
    return same_transform(sentence("permute", sigma::detail::shape_text(axes)),
                          sigma::detail::SharedOwner<const Permute>::make(axes));
}

}  // namespace sigma::data::detail
