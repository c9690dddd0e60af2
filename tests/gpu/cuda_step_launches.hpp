// SPDX-License-Identifier: BSL-1.0
#pragma once
#include "device.hpp"
#include "step_launches.hpp"

// Launches of training steps on CUDA, and nodes of the graphs that are replayed.
namespace step_launches {

/// Checks the launches of a step with `relus` products with relu. `fewest` is the number of launches if the library
/// computes all relus. The backend has tried whether its relu keeps NaN; each relu that does not is a separate launch.
/// A call of the library may have up to three nodes: a clearing, a product in parts, their sum. Returns the number of
/// relus that the library computes.
template <AnyNetwork N, AnyOptimizer O>
int check_launches(long long records, int fewest, int relus, bool one_node_each) {
    const auto device = test::cuda_device();  // a new device, because trials are not repeated
    const auto step = step_on<N, O>(device, records);
    const int kept = dynamic_cast<const on_gpu::cuda::CudaBackend&>(*device).relus_kept();
    CHECK(kept <= relus);
    const int told = step->program().launches();
    CHECK(told == fewest + relus - kept);
    const auto replay = step->capture();
    const auto nodes = static_cast<int>(dynamic_cast<const on_gpu::cuda::CudaGraph&>(*replay).nodes());
    CHECK(nodes >= told);
    CHECK(nodes <= (one_node_each ? told : 3 * told));
    replay->run();
    device->synchronize();
    return kept;
}
/// Returns how many of 6 relus the library computes.
inline int check_all_launches(bool one_node_each) {
    return check_launches<Small, GradientDescent>(100, 16, 2, one_node_each) +
           check_launches<Small, Adam>(100, 18, 2, one_node_each) +
           check_launches<LeNet, Adam>(64, 48, 2, one_node_each) +
           check_launches<Reader, Adam>(16, 281, 0, one_node_each);
}

}  // namespace step_launches
