// SPDX-License-Identifier: BSL-1.0
// Which of the kernels in the library this processor runs.
#pragma once

#ifdef SIGMA_COMPILED

#include <sigma/core/error.hpp>
#include <sigma/device/cpu/kernels.hpp>

#include <cstdlib>
#include <cstring>
#include <string>

namespace sigma::simd {

#define SIGMA_KERNELS(set)                        \
    namespace set {                               \
    extern const Kernels<float> float_kernels;    \
    extern const Kernels<double> double_kernels;  \
    }
#if defined(__x86_64__)
SIGMA_KERNELS(library_sse2)
SIGMA_KERNELS(library_avx2)
SIGMA_KERNELS(library_avx512)
#else
SIGMA_KERNELS(library_other)
#endif
#undef SIGMA_KERNELS

namespace {

struct Tables {
    static constexpr int most = 3;
    const char* names[most];
    const Kernels<float>* floats[most];
    const Kernels<double>* doubles[most];
    int count = 0;
    int chosen = 0;

    void add(const char* name, const Kernels<float>& f, const Kernels<double>& d) {
        names[count] = name;
        floats[count] = &f;
        doubles[count++] = &d;
    }
    Tables() {
#if defined(__x86_64__)
        add("sse2", library_sse2::float_kernels, library_sse2::double_kernels);
        // What -march=x86-64-v3 and -v4 may use beside these comes with them in every processor.
        __builtin_cpu_init();
        const bool avx2 = __builtin_cpu_supports("avx2") && __builtin_cpu_supports("fma") && __builtin_cpu_supports("bmi2");
        if (avx2) add("avx2", library_avx2::float_kernels, library_avx2::double_kernels);
        if (avx2 && __builtin_cpu_supports("avx512f") && __builtin_cpu_supports("avx512bw") &&
            __builtin_cpu_supports("avx512dq") && __builtin_cpu_supports("avx512vl"))
            add("avx512", library_avx512::float_kernels, library_avx512::double_kernels);
#else
        add("other", library_other::float_kernels, library_other::double_kernels);
#endif
        chosen = count - 1;
        const char* const wanted = std::getenv("SIGMA_INSTRUCTIONS");
        if (!wanted || !*wanted) return;
        std::string has;
        for (int i = 0; i < count; ++i) {
            if (std::strcmp(wanted, names[i]) == 0) {
                chosen = i;
                return;
            }
            has += std::string(i == 0 ? "" : i + 1 == count ? " or " : ", ") + names[i];
        }
        throw ArgumentError("environment variable SIGMA_INSTRUCTIONS", has + ", which this processor has", sentence("'", wanted, "'"));
    }
};
const Tables& tables() {
    static const Tables all;
    return all;
}

}  // namespace

template <>
const Kernels<float>& kernels<float>() {
    return *tables().floats[tables().chosen];
}
template <>
const Kernels<double>& kernels<double>() {
    return *tables().doubles[tables().chosen];
}
template <>
std::span<const Kernels<float>* const> all_kernels<float>() {
    return {tables().floats, static_cast<std::size_t>(tables().count)};
}
template <>
std::span<const Kernels<double>* const> all_kernels<double>() {
    return {tables().doubles, static_cast<std::size_t>(tables().count)};
}

}  // namespace sigma::simd

#endif
