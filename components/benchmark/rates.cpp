// SPDX-License-Identifier: BSL-1.0
#include <sigma/benchmark.hpp>
#include <sigma/core/error.hpp>

#include <algorithm>
#include <cstring>
#include <vector>

#include "clock.hpp"

namespace sigma {

namespace {

using detail::Time;

/// Returns the least time of one call of many, in seconds, after a tenth of a second.
template <class F>
double least_time(F call) {
    double least = 1e9;
    long calls = 1;
    for (double spent = 0; spent < 0.1;) {
        const Time start = Time::now();
        for (long i = 0; i < calls; ++i) call();
        const double taken = (Time::now() - start).processor;
        spent += taken;
        if (taken < 50e-6) calls *= 2;
        else least = std::min(least, taken / static_cast<double>(calls));
    }
    return least;
}

// Independent sums, so that none waits for the one before, and all are in registers.
#if defined(__x86_64__)
constexpr int chains = 12;
#else
constexpr int chains = 20;
#endif
constexpr long turns = 1000;

// One function for each width of vectors. Multiplying by 1 - 2⁻²⁴ keeps the numbers finite.
#define SIGMA_MULTIPLY_ADDS(name, bytes, ...)                                         \
    __VA_ARGS__ double name() {                                                       \
        typedef float Vector __attribute__((vector_size(bytes)));                     \
        Vector sum[chains], factor = Vector{} + 0.99999994f, term = Vector{} + 1e-3f; \
        for (int c = 0; c < chains; ++c) sum[c] = Vector{} + static_cast<float>(c);   \
        keep_result(sum); /* all differ, as far as the compiler knows */              \
        for (long i = 0; i < turns; ++i) {                                            \
            for (int c = 0; c < chains; ++c) sum[c] = sum[c] * factor + term;         \
        }                                                                             \
        keep_result(sum);                                                             \
        return 2.0 * (bytes / sizeof(float)) * chains * turns;                        \
    }
SIGMA_MULTIPLY_ADDS(multiply_adds, 16)
#if defined(__x86_64__)
SIGMA_MULTIPLY_ADDS(multiply_adds_avx2, 32, __attribute__((target("avx2,fma"))))
SIGMA_MULTIPLY_ADDS(multiply_adds_avx512, 64, __attribute__((target("avx512f,fma"))))
#endif
#undef SIGMA_MULTIPLY_ADDS

}  // namespace

double copy_rate(std::size_t bytes) {
    if (bytes < 128) throw ArgumentError("copy_rate", "at least 128 bytes", sentence(bytes));
    std::vector<char> from(bytes / 2, 1), to(bytes / 2);
    const double time = least_time([&] {
        std::memcpy(to.data(), from.data(), from.size());
        keep_result(to.data());
    });
    return 2 * static_cast<double>(from.size()) / time;
}

double multiply_add_rate() {
    double (*run)() = multiply_adds;
#if defined(__x86_64__)
    if (__builtin_cpu_supports("avx2") && __builtin_cpu_supports("fma")) run = multiply_adds_avx2;
    if (__builtin_cpu_supports("avx512f")) run = multiply_adds_avx512;
#endif
    double operations = 0;
    const double time = least_time([&] { operations = run(); });
    return operations / time;
}

}  // namespace sigma
