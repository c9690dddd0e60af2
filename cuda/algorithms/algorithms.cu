// SPDX-License-Identifier: BSL-1.0
// nvcc compiles this file for devices; any C++ compiler with -DTHRUST_DEVICE_SYSTEM=THRUST_DEVICE_SYSTEM_CPP (or _OMP)
// compiles it for the processor.
#include <sigma/device/gpu/algorithms.hpp>

#include <thrust/execution_policy.h>
#include <thrust/sort.h>
#include <thrust/system/system_error.h>
#if THRUST_DEVICE_SYSTEM == THRUST_DEVICE_SYSTEM_CUDA
#include <thrust/system/cuda/error.h>
#include <thrust/system/cuda/execution_policy.h>
#include <cub/util_device.cuh>
#endif

#include <cstddef>
#include <new>

namespace sigma::on_gpu::algorithms {

// This namespace has a name, because nvcc instantiates kernels with its types.
namespace detail {

constexpr int no_memory = 2, unknown = 999;  // cudaErrorMemoryAllocation, cudaErrorUnknown

/// An allocator that divides the working memory of a call into pieces, which are all free when the call ends.
class Pieces {
public:
    using value_type = char;
    explicit Pieces(const Pairs& pairs) : next_(static_cast<char*>(pairs.memory)), left_(pairs.bytes) {}
    char* allocate(std::ptrdiff_t bytes) {
        const std::size_t whole = (static_cast<std::size_t>(bytes) + 255) / 256 * 256;
        if (whole > left_) throw std::bad_alloc();
        char* const piece = next_;
        next_ += whole;
        left_ -= whole;
        return piece;
    }
    void deallocate(char*, std::size_t) {}

private:
    char* next_;
    std::size_t left_;
};

template <class Policy>
int sort(const Policy& policy, const Pairs& pairs) {
    try {
        thrust::stable_sort_by_key(policy, pairs.keys, pairs.keys + pairs.count, pairs.values);
        return 0;
    } catch (const std::bad_alloc&) {
        return no_memory;
#if THRUST_DEVICE_SYSTEM == THRUST_DEVICE_SYSTEM_CUDA
    } catch (const thrust::system_error& found) {
        return found.code().category() == thrust::cuda_category() ? found.code().value() : unknown;
#endif
    } catch (...) { return unknown; }
}

}  // namespace detail

#if THRUST_DEVICE_SYSTEM == THRUST_DEVICE_SYSTEM_CUDA
bool on_device::has_code() {
    int version = 0;
    const bool found = cub::PtxVersion(version) == cudaSuccess;
    if (!found) (void)cudaGetLastError();
    return found;
}
int on_device::sort(const Pairs& pairs, void* stream) {
    detail::Pieces pieces(pairs);
    return detail::sort(thrust::cuda::par_nosync(pieces).on(static_cast<cudaStream_t>(stream)), pairs);
}
#else
int on_processor::sort(const Pairs& pairs) {
#if THRUST_DEVICE_SYSTEM == THRUST_DEVICE_SYSTEM_OMP
    return detail::sort(thrust::device, pairs);  // each thread allocates its own memory
#else
    detail::Pieces pieces(pairs);
    return detail::sort(thrust::device(pieces), pairs);
#endif
}
#endif

}  // namespace sigma::on_gpu::algorithms
