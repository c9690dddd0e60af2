// SPDX-License-Identifier: BSL-1.0
// The choice of the library's kernels for this processor.
#pragma once

#ifdef SIGMA_COMPILED

#include <sigma/core/error.hpp>
#include <sigma/device/cpu/chosen_kernels.hpp>

#include <cstdlib>
#include <cstring>
#include <string>

namespace sigma::on_cpu {

// The sets of instructions. The build defines SIGMA_WITHOUT_… to omit one (SIGMA_INSTRUCTION_SETS of CMake).
#if !defined(__x86_64__)
#define SIGMA_EACH_SET(f) f(other)
#else
#if defined(SIGMA_WITHOUT_SSE2)
#define SIGMA_SET_SSE2(f)
#else
#define SIGMA_SET_SSE2(f) f(sse2)
#endif
#if defined(SIGMA_WITHOUT_AVX2)
#define SIGMA_SET_AVX2(f)
#else
#define SIGMA_SET_AVX2(f) f(avx2)
#endif
#if defined(SIGMA_WITHOUT_AVX512)
#define SIGMA_SET_AVX512(f)
#else
#define SIGMA_SET_AVX512(f) f(avx512)
#endif
#define SIGMA_EACH_SET(f) SIGMA_SET_SSE2(f) SIGMA_SET_AVX2(f) SIGMA_SET_AVX512(f)
#endif
#define SIGMA_KERNELS(set)                           \
    namespace library_##set {                        \
        extern const Kernels<float> float_kernels;   \
        extern const Kernels<double> double_kernels; \
    }
SIGMA_EACH_SET(SIGMA_KERNELS)
#undef SIGMA_KERNELS

namespace {

namespace has {
#if defined(__x86_64__)
// Every processor with these instructions also has the others that -march=x86-64-v3 and -v4 use.
inline bool sse2() { return true; }
inline bool avx2() {
    return __builtin_cpu_supports("avx2") && __builtin_cpu_supports("fma") && __builtin_cpu_supports("bmi2");
}
inline bool avx512() {
    return avx2() && __builtin_cpu_supports("avx512f") && __builtin_cpu_supports("avx512bw") &&
           __builtin_cpu_supports("avx512dq") && __builtin_cpu_supports("avx512vl");
}
#else
inline bool other() { return true; }
#endif
}  // namespace has

struct InstructionSet {
    const char* name;
    bool (*is_here)();
};
#define SIGMA_SET(set) {#set, has::set},
constexpr InstructionSet sets[] = {SIGMA_EACH_SET(SIGMA_SET)};
#undef SIGMA_SET

struct Choice {
    int count = 0;  ///< number of sets that this processor has
    int chosen = 0;

    Choice() {
#if defined(__x86_64__)
        __builtin_cpu_init();
#endif
        for (const InstructionSet& set : sets) count += set.is_here() ? 1 : 0;
        if (count == 0)
            throw ArgumentError("instructions of this processor",
                                sentence(sets[0].name, " or newer, for which this program has kernels"),
                                "an older processor");
        chosen = count - 1;
        const char* const wanted = std::getenv("SIGMA_INSTRUCTIONS");
        if (!wanted || !*wanted) return;
        std::string has;
        for (int i = 0; i < count; ++i) {
            if (std::strcmp(wanted, sets[i].name) == 0) {
                chosen = i;
                return;
            }
            has += std::string(i == 0 ? "" : i + 1 == count ? " or " : ", ") + sets[i].name;
        }
        throw ArgumentError("environment variable SIGMA_INSTRUCTIONS", "instructions of this processor, " + has,
                            sentence("'", wanted, "'"));
    }
};
const Choice& choice() {
    static const Choice made;
    return made;
}

}  // namespace

// Tables of float and double are separate, so that a program links only the kernels of the type that it uses.
template <>
std::span<const Kernels<float>* const> all_kernels<float>() {
#define SIGMA_SET(set) &library_##set::float_kernels,
    static constexpr const Kernels<float>* all[] = {SIGMA_EACH_SET(SIGMA_SET)};
#undef SIGMA_SET
    return {all, static_cast<std::size_t>(choice().count)};
}
template <>
std::span<const Kernels<double>* const> all_kernels<double>() {
#define SIGMA_SET(set) &library_##set::double_kernels,
    static constexpr const Kernels<double>* all[] = {SIGMA_EACH_SET(SIGMA_SET)};
#undef SIGMA_SET
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
#undef SIGMA_EACH_SET

}  // namespace sigma::on_cpu

#endif
