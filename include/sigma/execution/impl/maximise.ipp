// SPDX-License-Identifier: BSL-1.0
#pragma once

#include <sigma/core/config.hpp>
#include <sigma/execution/maximise.hpp>
#include <sigma/network/dynamic_network.hpp>

namespace sigma::detail {

SIGMA_IMPL void check_maximisation(const NetworkTable& network, int cost) {
    if (network.inputs.size() != 1)
        throw ArgumentError("maximise", "a network with one input", sentence("one with ", network.inputs.size()));
    check_position(cost, network.costs.size(), "output");
}
template <class T>
Owned<MadeProgram<T>> made_maximisation(const MadeTables& network, int cost, int lanes) {
    Program p;
    trace_maximisation(p, network.layers(), cost);
    return make_owned<MadeProgram<T>>(p, lanes);
}

}  // namespace sigma::detail

#ifdef SIGMA_COMPILED
namespace sigma::detail {
template Owned<MadeProgram<float>> made_maximisation<float>(const MadeTables&, int, int);
template Owned<MadeProgram<double>> made_maximisation<double>(const MadeTables&, int, int);
}  // namespace sigma::detail
#endif
