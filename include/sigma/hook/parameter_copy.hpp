// SPDX-License-Identifier: BSL-1.0
#pragma once
#include <sigma/hook/archive.hpp>
#include <sigma/hook/context.hpp>

#include <cstddef>
#include <vector>

namespace sigma::detail {

/// The numbers of all parameters of a model, without the padding between their rows, so that a checkpoint of the copy
/// can be read on machines with another vector width. Allocates memory when it is first taken.
class ParameterCopy {
public:
    bool empty() const { return bytes_.empty(); }
    void restart() { bytes_.clear(); }
    void take(const AnyStore& model);
    /// Restores the parameters. Throws MismatchError if the copy is of another network.
    void put(const AnyStore& model) const;
    void archive(Archive& a);

private:
    std::vector<std::byte> bytes_;
};

}  // namespace sigma::detail

#ifndef SIGMA_COMPILED
#include <sigma/hook/impl/parameter_copy.ipp>
#endif
