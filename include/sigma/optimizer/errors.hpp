// SPDX-License-Identifier: BSL-1.0
#pragma once

/// What is told who clips the same gradients twice in one way; see `tape/errors.hpp`.
namespace sigma {

template <class>
struct optimizer_is;
template <class>
struct error_gradients_are_clipped_by_value_already;
template <class>
struct error_gradients_are_clipped_by_norm_already;

}  // namespace sigma
