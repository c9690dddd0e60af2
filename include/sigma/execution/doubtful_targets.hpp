// SPDX-License-Identifier: BSL-1.0
#pragma once
#include <sigma/data/dataset.hpp>
#include <sigma/network/table.hpp>

#include <string>
#include <vector>

namespace sigma::detail {

/// What is allowed and hardly ever meant, a sentence each: class numbers that a loss takes for amounts, and targets
/// that the last activation never reaches. Records in blocks are not read for this.
[[gnu::cold]] std::vector<std::string> doubtful_targets(const NetworkTable& network, const Dataset& data);

}  // namespace sigma::detail

#ifndef SIGMA_COMPILED
#include <sigma/execution/impl/doubtful_targets.ipp>
#endif
