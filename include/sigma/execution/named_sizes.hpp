// SPDX-License-Identifier: BSL-1.0
#pragma once
#include <sigma/data/dataset.hpp>
#include <sigma/network/dynamic_network.hpp>

namespace sigma::detail {

/// Sizes that follow from what records look like, and from how many classes the data have names for. Throws
/// ArgumentError where they contradict what is known.
void take_sizes(SizeBinding& sizes, const NetworkTable& known, const Dataset& data);

/// What a model is made of: the network, with all sizes that the data have for it.
template <AnyNetwork N>
const N& definition_with(const N& network, const Dataset&) {
    return network;
}
template <NamedNetwork N>
DynamicNetwork definition_with(const N& network, const Dataset& data) {
    SizeBinding sizes = sizes_of(network);
    take_sizes(sizes, primed_table<N>, data);
    return sizes.make();
}

}  // namespace sigma::detail

#ifndef SIGMA_COMPILED
#include <sigma/execution/impl/named_sizes.ipp>
#endif
