// SPDX-License-Identifier: BSL-1.0
// Prints a digest of each operation of vectors, and of what kernels do with them, over numbers of all kinds. Compiled
// with the library's own vectors and with xsimd's, for each set of instructions: both print the same. Numbers are drawn
// one by one, so what is computed lane by lane has the same digest for 4, 8 and 16 lanes, where x·y + z is rounded
// alike.
#include <sigma/device/cpu/math.hpp>

#include <cmath>
#include <cstdint>
#include <cstdio>
#include <cstring>
#include <limits>

using namespace sigma::on_cpu;

namespace {

template <class T>
T number(std::uint64_t& state) {
    state = state * 6364136223846793005u + 1442695040888963407u;
    const std::uint64_t u = state >> 20;
    if (u % 13 == 0) {
        using L = std::numeric_limits<T>;
        const T special[] = {T(0),           T(-0.0),         T(1),      T(-1),   L::infinity(), -L::infinity(),
                             L::quiet_NaN(), L::denorm_min(), -L::min(), T(88.5), T(-104),       T(710)};
        return special[(u / 13) % 12];
    }
    const double digits = static_cast<double>(u % 1000003) / 500001.5 - 1;
    return static_cast<T>(digits * std::pow(10.0, static_cast<double>((u / 1000003) % 9) - 5));
}

/// FNV-1a of the bits; all NaN are one.
template <class T, class F>
void digest(const char* name, F f) {
    std::uint64_t state = 1, hash = 14695981039346656037u;
    constexpr int width = lanes<T>;
    for (int i = 0; i < 320000 / width; ++i) {
        T a[width], b[width], c[width], y[width] = {};
        for (int j = 0; j < width; ++j) a[j] = number<T>(state), b[j] = number<T>(state), c[j] = number<T>(state);
        f(Vector<T>::load_unaligned(a), Vector<T>::load_unaligned(b), Vector<T>::load_unaligned(c)).store_unaligned(y);
        for (T& x : y) {
            if (x != x) x = std::numeric_limits<T>::quiet_NaN();
            unsigned char bytes[sizeof(T)];
            std::memcpy(bytes, &x, sizeof x);
            for (const unsigned char byte : bytes) hash = (hash ^ byte) * 1099511628211u;
        }
    }
    std::printf("%s %d %016llx\n", name, static_cast<int>(sizeof(T)), static_cast<unsigned long long>(hash));
}

template <class T>
void all_digests() {
    using V = Vector<T>;
#define DIGEST(name, kind, cost, ...) \
    digest<T>(#name, [](V a, V b, V c) { return evaluate<sigma::detail::Operation::name, T>(a, b, c); });
#define NONE(...)
    SIGMA_OPERATIONS(NONE, DIGEST, DIGEST)
    digest<T>("fused_multiply_subtract", [](V a, V b, V c) { return fused_multiply_subtract<T>(a, b, c); });
    digest<T>("fused_subtract_product", [](V a, V b, V c) { return fused_subtract_product<T>(a, b, c); });
    digest<T>("unordered", [](V a, V b, V c) { return select(unordered<T>(a, b), c, V(T(0))); });
    digest<T>("not_equal", [](V a, V b, V c) { return select(a != b, c, V(T(0))); });
    // Of all lanes of one vector: another width has other digests.
    digest<T>("sum", [](V a, V, V) { return V(sum<T>(a)); });
    digest<T>("maximum", [](V a, V, V) { return V(maximum<T>(a)); });
    digest<T>("minimum", [](V a, V, V) { return V(minimum<T>(a)); });
    digest<T>("any", [](V a, V b, V) { return V(T(any<T>(a < b)) + T(2) * T(all<T>(a < b))); });
    digest<T>("first_of", [](V a, V, V) { return V(T(any<T>(a < V(T(0))) ? first_of<T>(a < V(T(0))) : -1)); });
    digest<T>("masked", [](V a, V b, V) {
        T memory[2 * lanes<T>] = {};
        b.store_unaligned(memory);
        MaskedVector<T>{lanes<T> / 2 + 1}.store(memory, a);
        return MaskedVector<T>{lanes<T> - 1}.load(memory) + MaskedVector<T>{lanes<T> / 2}.keep(a, T(7));
    });
}

}  // namespace

int main() {
#if defined(__AVX512F__)
    const bool runs = __builtin_cpu_supports("avx512f") && __builtin_cpu_supports("avx512dq");
#elif defined(__AVX2__)
    const bool runs = __builtin_cpu_supports("avx2") && __builtin_cpu_supports("fma");
#else
    const bool runs = true;
#endif
    if (!runs) return 77;
    all_digests<float>();
    all_digests<double>();
    return 0;
}
