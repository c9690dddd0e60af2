// SPDX-License-Identifier: BSL-1.0
#pragma once
#include <sigma/device/gpu/backend_work.hpp>
#include <sigma/device/gpu/cuda/open.hpp>

#include <catch2/catch.hpp>

#include <memory>
#include <string>
#include <vector>

namespace sigma::test {

/// Returns the first CUDA device. Without one it warns, once per test, and returns null: `const auto device =
/// cuda_device(); if (!device) return;`
inline std::shared_ptr<on_gpu::Backend> cuda_device(const GpuOptions& options = {}) {
    if (on_gpu::cuda::count_devices().count == 0) {
        static std::string said;
        if (const auto test = Catch::getResultCapture().getCurrentTestName(); said != test) {
            said = test;
            WARN("skipped: no CUDA device");
        }
        return nullptr;
    }
    return on_gpu::cuda::open_cuda(options);
}

template <class T>
T* uploaded(sigma::detail::ComputeDevice& device, const std::vector<T>& values, const std::string& what = "a test") {
    void* const data = device.allocate(values.size() * sizeof(T), what);
    device.upload(data, values.data(), values.size() * sizeof(T));
    return static_cast<T*>(data);
}
template <class T>
std::vector<T> downloaded(sigma::detail::ComputeDevice& device, const T* data, std::size_t count) {
    std::vector<T> values(count);
    device.download(values.data(), data, count * sizeof(T));
    return values;
}

}  // namespace sigma::test
