// SPDX-License-Identifier: BSL-1.0
#pragma once
#include <sigma/core/owners.hpp>
#include <sigma/device/cpu/kernel_arguments.hpp>

namespace sigma::on_cpu {

/// Weights of a model that nobody changes any more, in the order in which products read them: each is packed when it
/// is multiplied by several rows for the first time, and serves all threads. For so many parameters. Same bits.
template <class T>
sigma::detail::SharedOwner<const OtherProducts<T>> packed_weights(int parameters);

}  // namespace sigma::on_cpu

#ifndef SIGMA_COMPILED
#include <sigma/device/cpu/impl/packed_weights.ipp>
#endif
