// SPDX-License-Identifier: BSL-1.0
#include <sigma/device/cpu/vector.hpp>

#include <catch2/catch.hpp>

#include <cmath>
#include <cstring>
#include <limits>

using namespace sigma::on_cpu;

namespace {

/// Values with different comparisons, signs and roundings.
template <class T>
Vector<T> several(int from) {
    constexpr T infinity = std::numeric_limits<T>::infinity(), nan = std::numeric_limits<T>::quiet_NaN();
    constexpr T all[] = {T(0),
                         T(-0.0),
                         T(1),
                         T(-1),
                         T(0.75),
                         T(-3.5),
                         infinity,
                         -infinity,
                         nan,
                         std::numeric_limits<T>::denorm_min(),
                         std::numeric_limits<T>::max()};
    T x[lanes<T>];
    for (int i = 0; i < lanes<T>; ++i) x[i] = all[(i + from) % 11];
    return Vector<T>::load_unaligned(x);
}
template <class T>
bool same(T x, T y) {
    return std::memcmp(&x, &y, sizeof(T)) == 0 || (x != x && y != y);
}
/// Returns whether f gives in each lane the result of g for the numbers of that lane.
template <class T, class F, class G>
void examine(F f, G g) {
    for (int i = 0; i < 11; ++i)
        for (int j = 0; j < 11; ++j) {
            const Vector<T> x = several<T>(i), y = several<T>(j), z = f(x, y);
            for (int lane = 0; lane < lanes<T>; ++lane) {
                CAPTURE(x.get(lane), y.get(lane), z.get(lane));
                if (!same(z.get(lane), g(x.get(lane), y.get(lane)))) FAIL("lane " << lane);
            }
        }
    CHECK(lanes<T> * static_cast<int>(sizeof(T)) == register_bytes);
}

}  // namespace

TEMPLATE_TEST_CASE("vectors compute what their numbers do", "[vector]", float, double) {
    using T = TestType;
    using V = Vector<T>;
    examine<T>([](V x, V y) { return x + y; }, [](T x, T y) { return x + y; });
    examine<T>([](V x, V y) { return x - y; }, [](T x, T y) { return x - y; });
    examine<T>([](V x, V y) { return x * y; }, [](T x, T y) { return x * y; });
    examine<T>([](V x, V y) { return x / y; }, [](T x, T y) { return x / y; });
    examine<T>([](V x, V) { return -x; }, [](T x, T) { return -x; });
    examine<T>([](V x, V) { return abs(x); }, [](T x, T) { return std::abs(x); });
    examine<T>([](V x, V) { return sqrt(x); }, [](T x, T) { return std::sqrt(x); });
    examine<T>([](V x, V y) { return max(x, y); }, [](T x, T y) { return x > y ? x : y; });
    examine<T>([](V x, V y) { return min(x, y); }, [](T x, T y) { return x < y ? x : y; });
    for (const T x : {T(-0.0), T(0), T(2), std::numeric_limits<T>::denorm_min()})
        CHECK(same(V(x).get(lanes<T> - 1), x));
}

TEMPLATE_TEST_CASE("comparisons choose lanes", "[vector]", float, double) {
    using T = TestType;
    using V = Vector<T>;
    examine<T>([](V x, V y) { return select(x < y, x, y); }, [](T x, T y) { return x < y ? x : y; });
    examine<T>([](V x, V y) { return select(x <= y, x, y); }, [](T x, T y) { return x <= y ? x : y; });
    examine<T>([](V x, V y) { return select(x > y, x, y); }, [](T x, T y) { return x > y ? x : y; });
    examine<T>([](V x, V y) { return select(x >= y, x, y); }, [](T x, T y) { return x >= y ? x : y; });
    examine<T>([](V x, V y) { return select(x == y, V(T(1)), V(T(2))); },
               [](T x, T y) { return x == y ? T(1) : T(2); });
    examine<T>([](V x, V y) { return select(x != y, V(T(1)), V(T(2))); },
               [](T x, T y) { return x != y ? T(1) : T(2); });
    examine<T>([](V x, V y) { return select(isnan(x) | (x < y), x, y); },
               [](T x, T y) { return x != x || x < y ? x : y; });
    examine<T>([](V x, V y) { return select((!(x < y)) & (!isnan(y)), x, y); },
               [](T x, T y) { return !(x < y) && y == y ? x : y; });

    for (int lane = 0; lane < lanes<T>; ++lane) {
        T x[lanes<T>] = {};
        x[lane] = 1;
        const V one = V::load_unaligned(x);
        CHECK(any(one == V(T(1))));
        CHECK_FALSE(all(one == V(T(1))));
        CHECK_FALSE(all(one == V(T(0))));
        CHECK_FALSE(any(one == V(T(2))));
        CHECK(all(one != V(T(2))));
    }
}

TEMPLATE_TEST_CASE("bits are numbers as wide", "[vector]", float, double) {
    using T = TestType;
    using V = Vector<T>;
    using B = Bits<T>;
    using W = Word<T>;
    const auto word = [](T x) {
        W w;
        std::memcpy(&w, &x, sizeof w);
        return w;
    };
    for (int i = 0; i < 11; ++i) {
        const V x = several<T>(i), y = several<T>(i + 3);
        const B b = bitwise_cast<B>(x), c = bitwise_cast<B>(y);
        for (int lane = 0; lane < lanes<T>; ++lane) {
            const W v = word(x.get(lane)), w = word(y.get(lane));
            CHECK(b.get(lane) == v);
            CHECK((b + c).get(lane) == static_cast<W>(v + w));
            CHECK((b - c).get(lane) == static_cast<W>(v - w));
            CHECK(((b << 3) >> 5).get(lane) == static_cast<W>(v << 3) >> 5);
            CHECK(word((x & y).get(lane)) == (v & w));
            CHECK(word((x | y).get(lane)) == (v | w));
            CHECK(word((x ^ y).get(lane)) == (v ^ w));
        }
    }
}

TEMPLATE_TEST_CASE("products are rounded with their sum where the machine can", "[vector]", float, double) {
    using T = TestType;
    using V = Vector<T>;
    const T epsilon = std::numeric_limits<T>::epsilon(), x = 1 + epsilon, square = 1 + 2 * epsilon;
#if defined(__FMA__) || defined(__AVX512F__)
    const T least = epsilon * epsilon, most = least;
#else
    const T least = 0, most = epsilon * epsilon;
#endif
    for (int lane = 0; lane < lanes<T>; ++lane) {
        const T sum = fused_multiply_add<T>(V(x), V(x), V(-square)).get(lane);
        const T difference = fused_multiply_subtract<T>(V(x), V(x), V(square)).get(lane);
        const T rest = fused_subtract_product<T>(V(x), V(x), V(square)).get(lane);
        CHECK((sum >= least && sum <= most));
        CHECK((difference >= least && difference <= most));
        CHECK((-rest >= least && -rest <= most));
        CHECK(fused_multiply_add<T>(V(T(2)), V(T(3)), V(T(4))).get(lane) == 10);
        CHECK(fused_multiply_subtract<T>(V(T(2)), V(T(3)), V(T(4))).get(lane) == 2);
        CHECK(fused_subtract_product<T>(V(T(2)), V(T(3)), V(T(4))).get(lane) == -2);
    }
}
