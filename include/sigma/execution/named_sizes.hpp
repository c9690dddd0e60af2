// SPDX-License-Identifier: BSL-1.0
#pragma once
#include <sigma/data/dataset.hpp>
#include <sigma/network/dynamic_network.hpp>

namespace sigma::detail {

/// Sets the sizes that follow from the shape of records and from the number of class names. Throws ArgumentError if
/// they contradict known sizes.
void take_sizes(SizeBinding& sizes, const NetworkTable& known, const Dataset& data);

/// Returns the network of a model: this network, with all sizes that the data determine.
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
