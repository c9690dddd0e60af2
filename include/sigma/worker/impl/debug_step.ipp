// SPDX-License-Identifier: BSL-1.0
#pragma once

#include <sigma/core/config.hpp>
#include <sigma/worker/debug_step.hpp>

namespace sigma {

SIGMA_IMPL OperationError::OperationError(std::uint64_t iteration_, const std::string& layer_, const std::string& what,
                                          debugging::Offence offence_)
    : NumericError(iteration_, layer_, what), offence(std::move(offence_)) {}

}  // namespace sigma
