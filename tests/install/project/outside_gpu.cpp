// SPDX-License-Identifier: BSL-1.0
#include <sigma/gpu.hpp>

#include <cstdio>

// Runs where there is no driver and no device, too.
int main() {
    std::printf("%d GPUs\n%s", sigma::gpu_count(), sigma::describe_gpus().c_str());
    return sigma::gpu_available() && sigma::gpu_count() == 0 ? 1 : 0;
}
