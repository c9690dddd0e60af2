// SPDX-License-Identifier: BSL-1.0
#pragma once
#include <sigma/layer/errors.hpp>
#include <sigma/optimizer/table.hpp>

namespace sigma {

/// What can be wrong with a hook for a trainer with this optimizer. Declared only: the first error names one.
template <class Optimizer>
struct error_optimizer_has_no_learning_rate;
template <class Optimizer, class Member>
struct error_optimizer_has_no_such_member;

namespace detail {

/// What an action that changes the learning rate has as its `check_optimizer`.
template <class O>
constexpr auto check_learning_rate() {
    if constexpr (HasLearningRate<O>) return Mistake<>{};
    else return Mistake<error_optimizer_has_no_learning_rate<O>>{};
}

}  // namespace detail
}  // namespace sigma
