// SPDX-License-Identifier: BSL-1.0
#pragma once
#include <sigma/hook/archive.hpp>
#include <sigma/hook/context.hpp>

#include <cstddef>
#include <vector>

namespace sigma::detail {

/// The bits of all parameters of a model, without what lies between their rows, so that a checkpoint of it can be read
/// where vectors have another width. Allocates when it is first taken.
class ParameterCopy {
public:
    bool empty() const { return bytes_.empty(); }
    void restart() { bytes_.clear(); }
    void take(const AnyStore& model);
    /// Throws MismatchError when it was taken from another network.
    void put(const AnyStore& model) const;
    void archive(Archive& a);

private:
    std::vector<std::byte> bytes_;
};

}  // namespace sigma::detail

#ifndef SIGMA_COMPILED
#include <sigma/hook/impl/parameter_copy.ipp>
#endif
