// SPDX-License-Identifier: BSL-1.0
#pragma once

#include <sigma/data/split.hpp>

#include <utility>
#include <vector>

namespace sigma {

namespace detail {

void check_alike(const Dataset& a, const Dataset& b);

[[gnu::cold]] Dataset concatenated(const std::vector<Dataset>& all);

}  // namespace detail

/// The records of the first, then those of the second and so on, under the name of the first. Parts of one dataset are
/// put together without a copy; arrays in memory are copied; where a dataset lies in blocks, so does the result, which
/// reads them when it needs them. Throws ShapeError or ArgumentError where sections, classes or preprocessing differ.
template <AnyDataset D, AnyDataset... More>
    requires(sizeof...(More) > 0)
auto concatenate(const D& first, const More&... more) {
    Dataset all = detail::concatenated({first, more...});
    if constexpr ((std::same_as<D, More> && ...)) return D(std::move(all));
    else return all;
}

}  // namespace sigma

#ifndef SIGMA_COMPILED
#include <sigma/data/impl/concatenate.ipp>
#endif
