// SPDX-License-Identifier: BSL-1.0
#pragma once
#include <sigma/data/transform/stored.hpp>

namespace sigma::data {

namespace detail {

class Reshape final : public FittedTransform {
public:
    explicit Reshape(std::vector<std::size_t> extents);
    std::string kind() const override { return "reshape"; }
    std::vector<std::size_t> shape(const std::vector<std::size_t>& before) const override;
    void apply(std::vector<float>&, std::size_t, const std::vector<std::size_t>&) const override {}
    std::vector<TransformValue> state() const override { return {{"extents", as_numbers(extents_)}}; }
    static FittedPointer load(const StoredValues& s) { return std::make_shared<const Reshape>(s.counts("extents")); }

private:
    std::vector<std::size_t> extents_;
    std::size_t count_ = 1;
};

}  // namespace detail

/// The same numbers of each record with other extents, reshape<784>(inputs). Another count is a compile error where the
/// extents are known, else a ShapeError.
template <int... extents, Text name, Role role>
    requires((extents > 0) && ...)
auto reshape(SectionName<name, role>) {
    const std::vector<std::size_t> list{static_cast<std::size_t>(extents)...};
    return detail::same_transform<detail::ReshapesTo<extents...>, name>(sentence("reshape", shape_text(list)), detail::Reshape(list));
}
template <int... extents, Text name, Role role>
    requires(!((extents > 0) && ...))
error_reshape_needs_extents_of_at_least_1<shape<extents...>, section<name>> reshape(SectionName<name, role>);
/// For extents that only the program knows. Throws ArgumentError for an extent of 0.
template <Text name, Role role>
auto reshape(SectionName<name, role>, const std::vector<std::size_t>& extents) {
    return detail::same_transform<detail::LosesExtents, name>(sentence("reshape", shape_text(extents)), detail::Reshape(extents));
}

}  // namespace sigma::data

#ifndef SIGMA_COMPILED
#include <sigma/data/transform/impl/reshape.ipp>
#endif
