// SPDX-License-Identifier: BSL-1.0
#pragma once
#include <sigma/core/owners.hpp>
#include <sigma/device/cpu/kernel_arguments.hpp>

namespace sigma::on_cpu {

/// Returns products by weights that no longer change, for a number of parameters. Each weight is packed in the order in
/// which products read it when it is first multiplied by several rows, and all threads use it. Results are
/// bit-identical.
template <class T>
sigma::detail::SharedOwner<const OtherProducts<T>> packed_weights(int parameters);

}  // namespace sigma::on_cpu

#ifndef SIGMA_COMPILED
#include <sigma/device/cpu/impl/packed_weights.ipp>
#endif
