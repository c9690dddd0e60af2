// SPDX-License-Identifier: BSL-1.0
#pragma once

// Thrust without CUDA: both systems are C++. They must be chosen before its first header.
#ifndef THRUST_HOST_SYSTEM
#define THRUST_HOST_SYSTEM THRUST_HOST_SYSTEM_CPP
#endif
#ifndef THRUST_DEVICE_SYSTEM
#define THRUST_DEVICE_SYSTEM THRUST_DEVICE_SYSTEM_CPP
#endif
#ifdef __GNUC__
#pragma GCC diagnostic push
#pragma GCC diagnostic ignored "-Wconversion"
#pragma GCC diagnostic ignored "-Wpedantic"
#pragma GCC diagnostic ignored "-Wshadow"
#endif
#include <thrust/for_each.h>
#include <thrust/iterator/counting_iterator.h>
#include <thrust/system/cpp/execution_policy.h>
#ifdef _OPENMP
#include <thrust/system/omp/execution_policy.h>
#endif
#ifdef __GNUC__
#pragma GCC diagnostic pop
#endif

namespace sigma::on_gpu {

/// Calls `work` for the numbers from 0 to `count`, as Thrust's C++ backend does, and passes on its exceptions. With
/// `at_once`, a program compiled with OpenMP uses several threads, so that ThreadSanitizer finds races between blocks.
template <class Work>
void for_each_block(long long count, [[maybe_unused]] bool at_once, const Work& work) {
    const thrust::counting_iterator<long long> first(0), last(count);
#ifdef _OPENMP
    if (at_once) {
        thrust::for_each(thrust::omp::par, first, last, work);
        return;
    }
#endif
    thrust::for_each(thrust::cpp::par, first, last, work);
}

}  // namespace sigma::on_gpu
