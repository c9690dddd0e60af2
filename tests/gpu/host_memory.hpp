// SPDX-License-Identifier: BSL-1.0
#pragma once
#include <gpu/host/host_backend.hpp>

#include <cstddef>
#include <cstdint>
#include <numeric>
#include <vector>

namespace sigma::test {

using on_gpu::HostBackend;

template <class T>
T* fresh(HostBackend& device, std::size_t elements) {
    return static_cast<T*>(device.allocate(elements * sizeof(T), "a test"));
}
template <class T>
T* uploaded(HostBackend& device, const std::vector<T>& values) {
    T* const data = fresh<T>(device, values.size());
    device.upload(data, values.data(), values.size() * sizeof(T));
    return data;
}
template <class T>
std::vector<T> downloaded(HostBackend& device, const T* data, std::size_t elements) {
    std::vector<T> values(elements);
    device.download(values.data(), data, elements * sizeof(T));
    return values;
}
inline std::uint64_t word(const void* data) { return reinterpret_cast<std::uint64_t>(data); }
inline std::vector<float> counted(std::size_t elements) {
    std::vector<float> values(elements);
    std::iota(values.begin(), values.end(), 1.0F);
    return values;
}

inline constexpr const char* words = "struct k_words { const float* from; float* to; long long count; };\n";

}  // namespace sigma::test
