// SPDX-License-Identifier: BSL-1.0
#include <sigma/device/cpu/pooling.hpp>

#include <catch2/catch.hpp>

#include <algorithm>
#include <cmath>
#include <cstddef>
#include <limits>
#include <random>
#include <vector>

using namespace sigma::on_cpu;

namespace {

using Index = std::ptrdiff_t;

template <class T>
struct Image {
    static constexpr Index guard = 32;
    static constexpr T kept = 12345;
    Index pixels, channels, pixel;
    std::vector<T> memory;
    Image(Index n, Index c, Index p)
        : pixels(n), channels(c), pixel(p), memory(static_cast<std::size_t>(n * p + 2 * guard), kept) {
        std::fill_n(data(), n * p, std::numeric_limits<T>::quiet_NaN());
    }
    T* data() { return memory.data() + guard; }
    T& at(Index i, Index c) { return data()[i * pixel + c]; }
    Pixels<T> view() { return {data(), pixel}; }
    bool guarded() {
        for (Index i = 0; i < guard; ++i)
            if (memory[static_cast<std::size_t>(i)] != kept || data()[pixels * pixel + i] != kept) return false;
        return true;
    }
};

}  // namespace

TEMPLATE_TEST_CASE("poolings find the first greatest element of each window", "[cpu]", float, double) {
    using T = TestType;
    for (unsigned seed = 1; seed <= 300; ++seed) {
        std::mt19937 random(seed);
        const auto below = [&](int n) { return static_cast<Index>(random() % static_cast<unsigned>(n)); };
        const Index few[] = {1, 2, 3, 6, 8, 9, 16, 21};
        PoolingArguments g{};
        g.images = 1 + below(3);
        g.height = 1 + below(8);
        g.width = 1 + below(8);
        g.channels = few[below(8)];
        Index windows[2];
        for (int i = 0; i < 2; ++i) {
            const Index size = i == 0 ? g.height : g.width;
            g.window[i] = 1 + below(static_cast<int>(std::min<Index>(size, 3)));
            g.stride[i] = 1 + below(3);
            g.before[i] = below(static_cast<int>(g.window[i]));
            const Index after = below(static_cast<int>(g.window[i]));
            windows[i] = (size + g.before[i] + after - g.window[i]) / g.stride[i] + 1;
        }
        g.windows_high = windows[0];
        g.windows_wide = windows[1];
        const auto layout = [&] {
            return below(2) == 0 ? g.channels : (g.channels + lanes<T> - 1) / lanes<T> * lanes<T>;
        };
        const bool with_nan = below(4) == 0;
        const auto fill = [&](Image<T>& x) {  // few values, so that there are ties
            for (Index i = 0; i < x.pixels; ++i)
                for (Index c = 0; c < x.channels; ++c) x.at(i, c) = static_cast<T>(below(7) - 3);
        };
        const Index pixels = g.images * g.height * g.width, count = g.images * windows[0] * windows[1];
        Image<T> x(pixels, g.channels, layout()), y(count, g.channels, layout()), d(count, g.channels, layout()),
            dx(pixels, g.channels, layout()), v(pixels, g.channels, layout()), s(count, g.channels, layout());
        fill(x), fill(d), fill(v);
        if (with_nan) x.at(below(static_cast<int>(pixels)), 0) = std::numeric_limits<T>::quiet_NaN();
        pool_max(g, x.view(), y.view());
        unpool(g, x.view(), y.view(), d.view(), dx.view());
        pool_select(g, x.view(), y.view(), v.view(), s.view());

        std::vector<T> wanted(static_cast<std::size_t>(pixels * g.channels));
        bool good = true;
        const auto same = [](T a, T b) { return a == b || (std::isnan(a) && std::isnan(b)); };
        for (Index i = 0; i < count; ++i)
            for (Index c = 0; c < g.channels; ++c) {
                const Index n = i / windows[0] / windows[1],
                            top = i / windows[1] % windows[0] * g.stride[0] - g.before[0],
                            left = i % windows[1] * g.stride[1] - g.before[1];
                Index best = -1;
                for (Index a = std::max<Index>(top, 0); a < std::min(top + g.window[0], g.height); ++a)
                    for (Index b = std::max<Index>(left, 0); b < std::min(left + g.window[1], g.width); ++b) {
                        const Index at = (n * g.height + a) * g.width + b;
                        const bool nan = std::isnan(x.at(at, c));
                        if (best < 0 || x.at(at, c) > x.at(best, c) || (nan && !std::isnan(x.at(best, c)))) best = at;
                    }
                good = good && best >= 0 && same(y.at(i, c), x.at(best, c)) && s.at(i, c) == v.at(best, c);
                wanted[static_cast<std::size_t>(best * g.channels + c)] += d.at(i, c);
            }
        for (Index i = 0; i < pixels; ++i)
            for (Index c = 0; c < g.channels; ++c)
                good = good && dx.at(i, c) == wanted[static_cast<std::size_t>(i * g.channels + c)];
        INFO("seed " << seed << ", " << sizeof(T) * 8 << " bits: " << g.height << "x" << g.width << "x" << g.channels
                     << ", windows " << g.window[0] << " " << g.window[1] << ", strides " << g.stride[0] << " "
                     << g.stride[1] << ", " << g.before[0] << " " << g.before[1] << " outside"
                     << (with_nan ? ", NaN" : ""));
        CHECK(good);
        CHECK((y.guarded() && dx.guarded() && s.guarded()));
    }
}
