// SPDX-License-Identifier: BSL-1.0
#pragma once
#include <sigma/core/class_names.hpp>

namespace sigma::detail {

/// The order in which classes are numbered unless somebody says another: by value where all are finite numbers, "2"
/// before "10", else by their bytes. A class is its text: "6" and "6.0" stay two, by their bytes.
[[gnu::cold]] void sort_class_names(ClassNames& names);

}  // namespace sigma::detail

#ifndef SIGMA_COMPILED
#include <sigma/core/impl/class_order.ipp>
#endif
