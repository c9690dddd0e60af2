// SPDX-License-Identifier: BSL-1.0
#pragma once
#include <sigma/device/gpu/backend.hpp>

namespace sigma {

using on_gpu::Precision;

/// How a GPU is used.
struct GpuOptions {
    int device = 0;                         ///< as the CUDA runtime counts them, from 0
    Precision precision = Precision::full;  ///< of products of float
    /// Waits after each kernel, so that an error names the operation it came from. Slow.
    bool check_each_kernel = false;

    bool operator==(const GpuOptions&) const = default;
};

}  // namespace sigma
