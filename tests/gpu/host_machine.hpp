// SPDX-License-Identifier: BSL-1.0
#pragma once
#include <gpu/host/host_backend.hpp>
#include <sigma/device/gpu/backend_work.hpp>
#include <sigma/plan/planner.hpp>

#include "machine.hpp"

namespace sigma::test {

/// Returns the logic of a GPU with blocks of one thread.
inline std::shared_ptr<on_gpu::HostBackend> one_thread() { return on_gpu::host_backend({}); }
/// Returns the logic with blocks of 64 threads in groups of 32, as on a GPU, the last block first. Products in loops
/// are split.
inline std::shared_ptr<on_gpu::HostBackend> many_threads() {
    on_gpu::HostOptions options;
    options.threads = 64, options.lanes = 32;
    options.order = on_gpu::HostOrder::backward;
    options.split_products = true;
    return on_gpu::host_backend(options);
}
/// Returns the logic with products by our own kernels.
inline std::shared_ptr<on_gpu::HostBackend> without_library() {
    on_gpu::HostOptions options;
    options.threads = 32, options.lanes = 32;
    options.library_products = false;
    return on_gpu::host_backend(options);
}

}  // namespace sigma::test
