// SPDX-License-Identifier: BSL-1.0
#pragma once
#include "device.hpp"
#include "step_launches.hpp"

// Launches of training steps on CUDA, and nodes of the graphs that are replayed.
namespace step_launches {

/// `expected`: launches told. A call of the library may be up to three nodes: a clearing, a product in parts, their
/// sum.
template <AnyNetwork N, AnyOptimizer O>
void check_launches(const std::shared_ptr<on_gpu::Backend>& device, long long records, int expected,
                    bool one_node_each) {
    const auto step = step_on<N, O>(device, records);
    const int told = step->program().launches();
    CHECK(told == expected);
    const auto replay = step->capture();
    const auto nodes = static_cast<int>(dynamic_cast<const on_gpu::cuda::GraphReplay&>(*replay).nodes());
    CHECK(nodes >= told);
    CHECK(nodes <= (one_node_each ? told : 3 * told));
    replay->run();
    device->synchronize();
}
inline void check_all_launches(const std::shared_ptr<on_gpu::Backend>& device, bool one_node_each) {
    check_launches<Small, GradientDescent>(device, 100, 16, one_node_each);
    check_launches<Small, Adam>(device, 100, 18, one_node_each);
    check_launches<LeNet, Adam>(device, 64, 48, one_node_each);
    check_launches<Reader, Adam>(device, 16, 667, one_node_each);
}

}  // namespace step_launches
