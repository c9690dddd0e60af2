// SPDX-License-Identifier: BSL-1.0
#pragma once

#include <sigma/data/source/source.hpp>

namespace sigma::data {

/// The first of the two that can be opened: file("iris.data") | url("https://…"). Where none can, a DataError says why,
/// of each.
Source operator|(const Source& left, const Source& right);

}  // namespace sigma::data

#ifndef SIGMA_COMPILED
#include <sigma/data/source/impl/first.ipp>
#endif
