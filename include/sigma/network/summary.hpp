// SPDX-License-Identifier: BSL-1.0
#pragma once
#include <sigma/network/graph.hpp>
#include <sigma/network/model.hpp>

#include <cstddef>
#include <string>

namespace sigma {

namespace detail {
std::string summary(const NetworkTable& network, const GraphTable& graph, std::size_t element_bytes,
                    std::size_t prediction_bytes);
}  // namespace detail

/// A table of a network: each layer with the shape of its output, its parameters, the bytes its output takes and its
/// multiply-adds per record; then the totals, with the arena of prediction for one record, and the instructions of the
/// processor that are used: by products, convolutions and their like, and by what is fused, unless that is interpreted,
/// too. Where the network is no plain chain, `from` lists the numbers of the layers whose outputs a layer reads.
template <AnyNetwork N, class T = float>
std::string summary() {
    const std::string text = detail::summary(detail::network_table<N>, detail::NetworkGraph<N>::table, sizeof(T),
                                             Model<N, T>::prediction_bytes(1));
    using P = detail::NetworkPlan<N, detail::to_predict, T>;
    const auto& kernels = on_cpu::kernels_of<P, T>();
    const std::string fused = on_cpu::interprets<P>() ? "interpreted" : sentence("fused code: ", on_cpu::lanes<T>);
    return text +
           sentence("kernels: ", kernels.instructions, ", ", kernels.lanes, " elements at a time; ", fused, "\n");
}
template <AnyNetwork N>
std::string summary(const N&) {
    return summary<N>();
}

}  // namespace sigma

#ifndef SIGMA_COMPILED
#include <sigma/network/impl/summary.ipp>
#endif
