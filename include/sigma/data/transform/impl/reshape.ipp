// SPDX-License-Identifier: BSL-1.0
#pragma once

#include <sigma/core/config.hpp>
#include <sigma/data/transform/load.hpp>
#include <sigma/data/transform/reshape.hpp>

namespace sigma::data::detail {

class Reshape final : public FittedTransform {
public:
    explicit Reshape(std::vector<std::size_t> extents);
    std::string kind() const override { return "reshape"; }
    std::vector<std::size_t> shape(const std::vector<std::size_t>& before) const override;
    void apply(NumberList&, std::size_t, const std::vector<std::size_t>&) const override {}
    std::vector<TransformValue> state() const override { return {{"extents", as_numbers(extents_)}}; }

private:
    std::vector<std::size_t> extents_;
    std::size_t count_ = 1;
};

SIGMA_IMPL Reshape::Reshape(std::vector<std::size_t> extents) : extents_(std::move(extents)) {
    std::size_t count = 1;
    for (const std::size_t e : extents_) {
        if (e < 1) throw ArgumentError("reshape", "extents of at least 1", sigma::detail::shape_text(extents_));
        if (count > (std::size_t{1} << 48) / e)
            throw ArgumentError("reshape", "a record of at most 2^48 numbers", sigma::detail::shape_text(extents_));
        count *= e;
    }
    count_ = count;
}

SIGMA_IMPL std::vector<std::size_t> Reshape::shape(const std::vector<std::size_t>& before) const {
    if (size_of(before) != count_)
        throw ShapeError(sentence("reshape to ", sigma::detail::shape_text(extents_)),
                         sentence("records of ", count_, " numbers"), sigma::detail::shape_text(before));
    return extents_;
}

SIGMA_IMPL FittedPointer load_reshape(const StoredValues& s) {
    return sigma::detail::SharedOwner<const Reshape>::make(s.counts("extents"));
}

SIGMA_IMPL TransformPointer reshaping(const std::vector<std::size_t>& extents) {
    return same_transform(sentence("reshape", sigma::detail::shape_text(extents)),
                          sigma::detail::SharedOwner<const Reshape>::make(extents));
}

}  // namespace sigma::data::detail
