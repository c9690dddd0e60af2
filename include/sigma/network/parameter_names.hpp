// SPDX-License-Identifier: BSL-1.0
#pragma once
#include <sigma/network/table.hpp>

#include <string>
#include <string_view>

namespace sigma::detail {

/// "'1-dense.weights', '1-dense.biases' and 7 more": as many names as an error's line has room for.
[[gnu::cold]] std::string parameter_names(const NetworkTable& network, bool trained_only);
/// "'9-*', where there are '1-dense.weights', …": a pattern that matches none.
[[gnu::cold]] std::string pattern_without_match(std::string_view pattern, const NetworkTable& network,
                                                bool trained_only = false);

}  // namespace sigma::detail

#ifndef SIGMA_COMPILED
#include <sigma/network/impl/parameter_names.ipp>
#endif
