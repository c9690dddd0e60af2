// SPDX-License-Identifier: BSL-1.0
// The only header that includes <cblas.h>.
#pragma once

#include <cblas.h>

#include <cstddef>
#include <cstdlib>
#include <string>
#include <string_view>

// OpenBLAS's own functions; weak, so that programs link with other BLAS libraries too.
extern "C" {
[[gnu::weak]] char* openblas_get_corename(void);
[[gnu::weak]] char* openblas_get_config(void);
[[gnu::weak]] void openblas_set_num_threads(int);
[[gnu::weak]] int openblas_get_num_threads(void);
[[gnu::weak]] void gotoblas_dynamic_init(void);
[[gnu::weak]] void gotoblas_dynamic_quit(void);
}

namespace sigma::simd {

// The kernels OpenBLAS should use in place of `chosen`, or "" if its choice will do. OpenBLAS takes a processor that
// is newer than itself for a Prescott and runs at a fifth of the speed; it errs in no other way we know of, so only
// kernels older than AVX2 are replaced.
inline std::string_view better_blas_kernels(std::string_view chosen) {
#if defined(__x86_64__)
    for (const std::string_view old :
         {"Katmai", "Coppermine", "Northwood", "Prescott", "Banias", "Core2", "Penryn", "Dunnington", "Nehalem", "Atom",
          "Athlon", "Opteron", "Opteron_SSE3", "Barcelona", "Nano", "Bobcat", "Generic", "Sandybridge"}) {
        if (chosen != old) continue;
        __builtin_cpu_init();
        if (__builtin_cpu_supports("avx512f") && __builtin_cpu_supports("avx512bw") &&
            __builtin_cpu_supports("avx512vl") && __builtin_cpu_supports("avx512dq"))
            return "SkylakeX";
        if (__builtin_cpu_supports("avx2") && __builtin_cpu_supports("fma"))
            return __builtin_cpu_is("amd") ? "Zen" : "Haswell";
    }
#endif
    return (void)chosen, "";
}

struct BlasState {
    std::string chosen, used;  // names of kernels; empty if the library does not tell
};

// Chooses again. Not while any thread is inside BLAS or reads the environment.
inline BlasState choose_blas_kernels() {
    BlasState state;
    if (openblas_get_corename == nullptr) return state;
    state.chosen = state.used = openblas_get_corename();
    const bool users_choice = std::getenv("OPENBLAS_CORETYPE") != nullptr;
    const std::string better{better_blas_kernels(state.chosen)};
    if (!users_choice && !better.empty() && gotoblas_dynamic_init != nullptr && gotoblas_dynamic_quit != nullptr) {
        setenv("OPENBLAS_CORETYPE", better.c_str(), 1);
        gotoblas_dynamic_quit();
        gotoblas_dynamic_init();
        unsetenv("OPENBLAS_CORETYPE");  // programs that we start make their own choice
        state.used = openblas_get_corename();
    }
    return state;
}

// The right kernels, and one thread: we share out the work ourselves. Every call of gemm makes sure of it; call it
// once before other threads start, because it may write to the environment.
inline const BlasState& prepare_blas() {
    static const BlasState state = [] {
        BlasState chosen = choose_blas_kernels();
        if (openblas_set_num_threads != nullptr) openblas_set_num_threads(1);
        return chosen;
    }();
    return state;
}

// For example "OpenBLAS 0.3.21, kernels SkylakeX (library chose Prescott), 1 thread".
inline std::string blas_report() {
    const BlasState& state = prepare_blas();
    if (state.used.empty()) return "BLAS of unknown make";
    std::string report = "OpenBLAS";
    if (openblas_get_config != nullptr) {  // "OpenBLAS 0.3.21 NO_LAPACKE DYNAMIC_ARCH ..."
        const std::string_view config = openblas_get_config();
        report = config.substr(0, config.find(' ', config.find(' ') + 1));
    }
    report += ", kernels " + state.used;
    if (state.used != state.chosen) report += " (library chose " + state.chosen + ")";
    const int threads = openblas_get_num_threads != nullptr ? openblas_get_num_threads() : 1;
    return report + ", " + std::to_string(threads) + (threads == 1 ? " thread" : " threads");
}

// C = alpha * op(A) * B + beta * C, row-major.
inline void gemm(bool transposed, int m, int n, int k, float alpha, const float* a, int a_row, const float* b,
                 int b_row, float beta, float* c, int c_row) {
    prepare_blas();
    cblas_sgemm(CblasRowMajor, transposed ? CblasTrans : CblasNoTrans, CblasNoTrans, m, n, k, alpha, a, a_row, b, b_row,
                beta, c, c_row);
}
inline void gemm(bool transposed, int m, int n, int k, double alpha, const double* a, int a_row, const double* b,
                 int b_row, double beta, double* c, int c_row) {
    prepare_blas();
    cblas_dgemm(CblasRowMajor, transposed ? CblasTrans : CblasNoTrans, CblasNoTrans, m, n, k, alpha, a, a_row, b, b_row,
                beta, c, c_row);
}

}  // namespace sigma::simd
