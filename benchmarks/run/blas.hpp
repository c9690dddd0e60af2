// SPDX-License-Identifier: BSL-1.0
// OpenBLAS as a peer, on one thread. The library itself has no BLAS (docs/design/matrix-product.md).
#pragma once

#include <sigma/device/cpu/product.hpp>

#include <cblas.h>

#include <cstddef>
#include <cstdlib>
#include <string>
#include <string_view>

// OpenBLAS's own functions; weak, so that benchmarks link with other BLAS libraries too.
extern "C" {
[[gnu::weak]] char* openblas_get_corename(void);
[[gnu::weak]] char* openblas_get_config(void);
[[gnu::weak]] void openblas_set_num_threads(int);
[[gnu::weak]] int openblas_get_num_threads(void);
[[gnu::weak]] void gotoblas_dynamic_init(void);
[[gnu::weak]] void gotoblas_dynamic_quit(void);
}

namespace blas {

/// The kernels OpenBLAS should use in place of `chosen`, or "" if its choice will do. OpenBLAS takes a processor that
/// is newer than itself for a Prescott and runs at a fifth of the speed; it errs in no other way we know of, so only
/// kernels older than AVX2 are replaced.
inline std::string_view better_kernels(std::string_view chosen) {
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

/// Names of kernels; empty if the library does not tell.
struct State {
    std::string chosen, used;
};

/// The right kernels, unless OPENBLAS_CORETYPE names some, and one thread. Before anything else of BLAS; writes to the
/// environment.
inline const State& prepare() {
    static const State state = [] {
        State made;
        if (openblas_get_corename != nullptr) {
            made.chosen = made.used = openblas_get_corename();
            const std::string better{better_kernels(made.chosen)};
            if (std::getenv("OPENBLAS_CORETYPE") == nullptr && !better.empty() && gotoblas_dynamic_init != nullptr &&
                gotoblas_dynamic_quit != nullptr) {
                setenv("OPENBLAS_CORETYPE", better.c_str(), 1);
                gotoblas_dynamic_quit();
                gotoblas_dynamic_init();
                unsetenv("OPENBLAS_CORETYPE");
                made.used = openblas_get_corename();
            }
        }
        if (openblas_set_num_threads != nullptr) openblas_set_num_threads(1);
        return made;
    }();
    return state;
}

/// For example "OpenBLAS 0.3.21, kernels SkylakeX (library chose Prescott), 1 thread".
inline std::string report() {
    const State& state = prepare();
    if (state.used.empty()) return "BLAS of unknown make";
    std::string text = "OpenBLAS";
    if (openblas_get_config != nullptr) {  // "OpenBLAS 0.3.21 NO_LAPACKE DYNAMIC_ARCH ..."
        const std::string_view config = openblas_get_config();
        text = config.substr(0, config.find(' ', config.find(' ') + 1));
    }
    text += ", kernels " + state.used;
    if (state.used != state.chosen) text += " (library chose " + state.chosen + ")";
    const int threads = openblas_get_num_threads != nullptr ? openblas_get_num_threads() : 1;
    return text + ", " + std::to_string(threads) + (threads == 1 ? " thread" : " threads");
}

/// C = alpha * op(A) * B + beta * C, row-major.
inline void gemm(bool transposed, int m, int n, int k, float alpha, const float* a, int a_row, const float* b,
                 int b_row, float beta, float* c, int c_row) {
    cblas_sgemm(CblasRowMajor, transposed ? CblasTrans : CblasNoTrans, CblasNoTrans, m, n, k, alpha, a, a_row, b, b_row,
                beta, c, c_row);
}
inline void gemm(bool transposed, int m, int n, int k, double alpha, const double* a, int a_row, const double* b,
                 int b_row, double beta, double* c, int c_row) {
    cblas_dgemm(CblasRowMajor, transposed ? CblasTrans : CblasNoTrans, CblasNoTrans, m, n, k, alpha, a, a_row, b, b_row,
                beta, c, c_row);
}

/// The same meaning as sigma::on_cpu::product; extents and rows must fit an int.
template <class T>
void product(const sigma::on_cpu::ProductArguments<T>& p) {
    prepare();
    const bool transposed = p.a_column != 1;
    const auto integer = [](std::ptrdiff_t x) { return static_cast<int>(x); };
    gemm(transposed, integer(p.m), integer(p.n), integer(p.k), p.alpha, p.a, integer(transposed ? p.a_column : p.a_row),
         p.b, integer(p.b_row), p.accumulate ? T(1) : T(0), p.c, integer(p.c_row));
}

}  // namespace blas
