// SPDX-License-Identifier: BSL-1.0
// Which of the kernels in the library this processor runs.
#pragma once

#ifdef SIGMA_COMPILED

#include <sigma/core/error.hpp>
#include <sigma/device/cpu/chosen_kernels.hpp>

#include <cstdlib>
#include <cstring>
#include <string>

namespace sigma::on_cpu {

#define SIGMA_KERNELS(set)                       \
    namespace set {                              \
    extern const Kernels<float> float_kernels;   \
    extern const Kernels<double> double_kernels; \
    }
#if defined(__x86_64__)
SIGMA_KERNELS(library_sse2)
SIGMA_KERNELS(library_avx2)
SIGMA_KERNELS(library_avx512)
#define SIGMA_OF_EACH_SET(table) &library_sse2::table, &library_avx2::table, &library_avx512::table
#else
SIGMA_KERNELS(library_other)
#define SIGMA_OF_EACH_SET(table) &library_other::table
#endif
#undef SIGMA_KERNELS

namespace {

struct Choice {
    int count = 1;  ///< sets that this processor has
    int chosen = 0;

    Choice() {
#if defined(__x86_64__)
        constexpr const char* names[] = {"sse2", "avx2", "avx512"};
        // What -march=x86-64-v3 and -v4 may use beside these comes with them in every processor.
        __builtin_cpu_init();
        if (__builtin_cpu_supports("avx2") && __builtin_cpu_supports("fma") && __builtin_cpu_supports("bmi2"))
            count = 2;
        if (count == 2 && __builtin_cpu_supports("avx512f") && __builtin_cpu_supports("avx512bw") &&
            __builtin_cpu_supports("avx512dq") && __builtin_cpu_supports("avx512vl"))
            count = 3;
#else
        constexpr const char* names[] = {"other"};
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
        throw ArgumentError("environment variable SIGMA_INSTRUCTIONS", has + ", which this processor has",
                            sentence("'", wanted, "'"));
    }
};
const Choice& choice() {
    static const Choice made;
    return made;
}

}  // namespace

// Tables of float and double are found apart: a program that computes in one of them links the kernels of no other.
template <>
std::span<const Kernels<float>* const> all_kernels<float>() {
    static constexpr const Kernels<float>* all[] = {SIGMA_OF_EACH_SET(float_kernels)};
    return {all, static_cast<std::size_t>(choice().count)};
}
template <>
std::span<const Kernels<double>* const> all_kernels<double>() {
    static constexpr const Kernels<double>* all[] = {SIGMA_OF_EACH_SET(double_kernels)};
    return {all, static_cast<std::size_t>(choice().count)};
}
template <>
const Kernels<float>& kernels<float>() {
    return *all_kernels<float>()[static_cast<std::size_t>(choice().chosen)];
}
template <>
const Kernels<double>& kernels<double>() {
    return *all_kernels<double>()[static_cast<std::size_t>(choice().chosen)];
}
#undef SIGMA_OF_EACH_SET

}  // namespace sigma::on_cpu

#endif
