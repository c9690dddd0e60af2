// SPDX-License-Identifier: BSL-1.0
#pragma once
#include <sigma/data/transform/stored.hpp>

namespace sigma::data {

namespace detail {

/// Axis i of the result is axis axes[i] of what there was.
class Permute final : public FittedTransform {
public:
    explicit Permute(std::vector<std::size_t> axes);
    std::string kind() const override { return "permute"; }
    std::vector<std::size_t> shape(const std::vector<std::size_t>& before) const override;
    void apply(std::vector<float>& values, std::size_t, const std::vector<std::size_t>& before) const override;
    std::vector<TransformValue> state() const override { return {{"axes", as_numbers(axes_)}}; }
    static FittedPointer load(const StoredValues& s) { return std::make_shared<const Permute>(s.counts("axes")); }

private:
    /// Where each number of a record comes from.
    std::vector<std::size_t> positions(const std::vector<std::size_t>& before) const;

    std::vector<std::size_t> axes_;
};

}  // namespace detail

/// Axes of each record in another order, counted without that of records: axis i of the result is the i-th that is named, so
/// permute<1, 2, 0>(inputs) makes (height, width, channels) of (channels, height, width). Axes of another number than
/// records have are a compile error where the extents are known, else a ShapeError.
template <int... axes, Text name, Role role>
    requires(sizeof...(axes) > 0 && detail::each_once({axes...}))
auto permute(SectionName<name, role>) {
    const std::vector<std::size_t> list{static_cast<std::size_t>(axes)...};
    return detail::same_transform<detail::PermutesAxes<axes...>, name>(sentence("permute", shape_text(list)), detail::Permute(list));
}
template <int... axes, Text name, Role role>
    requires(sizeof...(axes) > 0 && !detail::each_once({axes...}))
error_permute_needs_each_axis_once<axes_given<axes...>, section<name>> permute(SectionName<name, role>);
/// For axes that only the program knows. Throws ArgumentError where they are not each axis once.
template <Text name, Role role>
auto permute(SectionName<name, role>, const std::vector<std::size_t>& axes) {
    return detail::same_transform<detail::LosesExtents, name>(sentence("permute", shape_text(axes)), detail::Permute(axes));
}

}  // namespace sigma::data

#ifndef SIGMA_COMPILED
#include <sigma/data/transform/impl/permute.ipp>
#endif
