// SPDX-License-Identifier: BSL-1.0
#pragma once

#include <sigma/core/config.hpp>
#include <sigma/execution/evaluator.hpp>

namespace sigma::detail {

SIGMA_IMPL EvaluatedData& EvaluatedData::operator=(const EvaluatedData& other) {
    data_ = other.data_;
    made_ = nullptr;
    return *this;
}

}  // namespace sigma::detail
