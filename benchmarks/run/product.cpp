// SPDX-License-Identifier: BSL-1.0
// Own matrix product against OpenBLAS with the right kernels, over the shapes of the budget's networks.
// Best of many short samples: other programs on the machine only ever add time. `product [SECONDS]`, for each library
// and row (default: 0.05).
#include "blas.hpp"

#include <algorithm>
#include <chrono>
#include <cstdio>
#include <cstdlib>
#include <memory>
#include <random>

using namespace sigma::on_cpu;

namespace {

double enough = 0.05;  // seconds of samples

template <class F>
double best_seconds(F f) {
    using Clock = std::chrono::steady_clock;
    const auto seconds = [&](int times) {
        const auto start = Clock::now();
        for (int i = 0; i < times; ++i) {
            f();
            asm volatile("" ::: "memory");
        }
        return std::chrono::duration<double>(Clock::now() - start).count() / times;
    };
    const int times = std::max(1, static_cast<int>(20e-6 / std::max(seconds(3), 1e-9)));
    double best = 10;
    double spent = 0;
    for (int sample = 0; sample < 2000 && (sample < (enough < 0.05 ? 3 : 10) || spent < enough); ++sample) {
        const double now = seconds(times);
        best = std::min(best, now);
        spent += now * times;
    }
    return best;
}

struct Free {
    void operator()(void* p) const { std::free(p); }
};

template <class T>
std::unique_ptr<T[], Free> random_array(std::size_t count) {
    const std::size_t bytes = (count * sizeof(T) + 127) / 64 * 64;
    std::unique_ptr<T[], Free> array(static_cast<T*>(std::aligned_alloc(64, bytes)));
    std::minstd_rand random;
    for (std::size_t i = 0; i < count; ++i) array[i] = static_cast<T>(random() % 2001) / T(1000) - T(1);
    return array;
}

template <class T>
void shape(int m, int k, int n, bool transposed = false, bool accumulate = false, bool padded = false) {
    const int row = padded ? (n + lanes<T> - 1) / lanes<T> * lanes<T> : n;
    const auto size = [](int x, int y) { return static_cast<std::size_t>(x) * static_cast<std::size_t>(y); };
    const auto a = random_array<T>(size(m, k)), b = random_array<T>(size(k, row)), c = random_array<T>(size(m, row));
    const ProductArguments<T> p{
        m, n, k, a.get(), transposed ? 1 : k, transposed ? m : 1, b.get(), row, c.get(), row, T(1), accumulate, padded};
    double own = 10, peer = 10;
    for (int turn = 0; turn < 4; ++turn) {  // by turns, so that a busy second hurts both
        own = std::min(own, best_seconds([&] { product(p); }));
        peer = std::min(peer, best_seconds([&] { blas::product(p); }));
    }
    const double operations = 2e-9 * m * n * k;
    std::printf("| %-6s | %4d x %4d x %4d%s%s%s | %11.1f | %11.1f | %6.1f | %6.1f | %.2f |\n",
                sizeof(T) == 4 ? "float" : "double", m, k, n, transposed ? ", A transposed" : "",
                accumulate ? ", accumulate" : "", padded ? ", padded" : "", own * 1e9, peer * 1e9, operations / own,
                operations / peer, peer / own);
    std::fflush(stdout);
}

template <class T>
void shapes() {
    for (const bool padded : {false, true}) {  // Iris 4-12-12-3, batch 10
        shape<T>(10, 4, 12, false, false, padded);
        shape<T>(10, 12, 12, false, false, padded);
        shape<T>(10, 12, 3, false, false, padded);
        shape<T>(10, 3, 12, false, false, padded);
        shape<T>(4, 10, 12, true, true, padded);
        shape<T>(12, 10, 12, true, true, padded);
        shape<T>(12, 10, 3, true, true, padded);
    }
    for (const auto& [k, n] : {std::pair(784, 128), {128, 64}, {64, 10}, {784, 1024}}) shape<T>(1, k, n);  // one record
    for (const int batch : {32, 100})  // MLP 784-128-64-10
        for (const auto& [k, n] : {std::pair(784, 128), {128, 64}, {64, 10}}) {
            shape<T>(batch, k, n);
            shape<T>(k, batch, n, true, true);
        }
    shape<T>(784, 100, 10, true, true);
    shape<T>(784, 100, 3, true, true);
    for (const auto& [k, n] : {std::pair(784, 1024), {1024, 1024}, {1024, 10}}) {  // MLP 784-1024-1024-10
        shape<T>(100, k, n);
        shape<T>(k, 100, n, true, true);
    }
    for (const int n : {256, 512, 768, 1024, 1536, 2048}) shape<T>(n, n, n);
}

}  // namespace

int main(int count, char** words) {
    if (count > 1) enough = std::atof(words[1]);
    std::printf("%s; own vectors of %d floats\n\n", blas::report().c_str(), lanes<float>);
    std::printf(
        "| type | m x k x n | Sigma ns | OpenBLAS ns | Sigma GFLOP/s | OpenBLAS GFLOP/s | OpenBLAS / Sigma |\n"
        "|---|---|---|---|---|---|---|\n");
    shapes<float>();
    shapes<double>();
}
