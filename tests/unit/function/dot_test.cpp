// SPDX-License-Identifier: BSL-1.0
// Matrix products of all ranks. The product kernel itself is tested in device/cpu/product_test.cpp.
#include "support.hpp"

using namespace sigma;
using namespace sigma::test;

namespace {

/// NumPy's matmul for the ranks that dot accepts.
Reference product(Reference x, Reference y) {
    const bool row = x.extents.size() == 1, column = y.extents.size() == 1;
    if (row) x.extents.insert(x.extents.begin(), 1);
    if (column) y.extents.push_back(1);
    Index e = x.extents;
    e.back() = y.extents.back();
    const std::size_t k = x.extents.back();
    Reference r(e);
    r.each([&](const Index& at) {
        double total = 0;
        Index left = at, right = y.extents.size() == 2 ? Index{0, at.back()} : at;
        for (std::size_t i = 0; i < k; ++i) {
            left.back() = i;
            right[right.size() - 2] = i;
            total += x.at(left) * y.at(right);
        }
        return total;
    });
    if (column) r.extents.pop_back();
    if (row) r.extents.erase(r.extents.end() - (column ? 1 : 2));
    return r;
}
template <class T, class R>
void expect(const R& found, const Reference& x, const Reference& y) {
    // k products up to 4 each: at most k·4·(k+1)/2 rounding errors; relative to 1. k is at most 33 here.
    const double k = static_cast<double>(x.extents.back());
    CHECK(relative_error(found, product(x, y), 1.0) < 4 * (k + 1) * epsilon<T>);
}
constexpr auto dotted = [](auto x, auto y) { return dot(x, y); };

}  // namespace

TEMPLATE_TEST_CASE("dot of every pair of ranks", "[function]", float, double) {
    using T = TestType;
    const auto m = random_of<T>(1, 6, 9), w = random_of<T>(2, 9, 5);
    const auto v = random_of<T>(3, 9), u = random_of<T>(4, 9), c = random_of<T>(5, 6);
    const auto t = random_of<T>(6, 6, 4, 9), q = random_of<T>(7, 6, 9, 3);
    const auto r = evaluate([](auto a, auto b, auto x, auto y, auto z) {
        return std::tuple{dot(a, b), dot(a, x), dot(x, b), dot(x, y), dot(transpose(a), z), dot(z, a)};
    })(shaped<6, 9>(m), shaped<9, 5>(w), shaped<9>(v), shaped<9>(u), shaped<6>(c));
    expect<T>(std::get<0>(r), Reference(m), Reference(w));
    expect<T>(std::get<1>(r), Reference(m), Reference(v));
    expect<T>(std::get<2>(r), Reference(v), Reference(w));
    expect<T>(std::get<3>(r), Reference(v), Reference(u));
    expect<T>(std::get<5>(r), Reference(c), Reference(m));
    Reference turned(Index{9, 6});
    const Reference a(m);
    turned.each([&](const Index& at) { return a.at({at[1], at[0]}); });
    expect<T>(std::get<4>(r), turned, Reference(c));

    const auto s = evaluate([](auto x, auto b, auto y, auto z) { return std::tuple{dot(x, b), dot(x, y), dot(x, z)}; })(
        shaped<batch, 4, 9>(t), shaped<9, 5>(w), shaped<batch, 9, 3>(q), shaped<9>(v));
    expect<T>(std::get<0>(s), Reference(t), Reference(w));
    expect<T>(std::get<1>(s), Reference(t), Reference(q));
    expect<T>(std::get<2>(s), Reference(t), Reference(v));
}

TEMPLATE_TEST_CASE("a product for every number of records", "[function]", float, double) {
    using T = TestType;
    const auto w = random_of<T>(2, 13, 7);
    const auto b = random_of<T>(3, 7);
    for (std::size_t n = 1; n <= 33; ++n) {
        CAPTURE(n);
        const auto x = random_of<T>(n, n, 13), y = random_of<T>(n + 100, n, 5);
        const auto r = evaluate([](auto a, auto v, auto c, auto d) {
            return std::tuple{dot(a, v) + c, dot(transpose(a), d)};
        })(shaped<batch, 13>(x), shaped<13, 7>(w), shaped<7>(b), shaped<batch, 5>(y));
        Reference wanted = product(Reference(x), Reference(w));
        const Reference bias(b);
        wanted = Reference(wanted.extents).each([&](const Index& at) { return wanted.at(at) + bias.at(at); });
        CHECK(relative_error(std::get<0>(r), wanted, 1.0) < 4 * 14 * epsilon<T>);
        Reference turned(Index{13, n});
        const Reference a(x);
        turned.each([&](const Index& at) { return a.at({at[1], at[0]}); });
        expect<T>(std::get<1>(r), turned, Reference(y));
    }
}

TEMPLATE_TEST_CASE("a product reads rows between which a reshape has put axes of one", "[function]", float, double) {
    using T = TestType;
    const auto x = random_of<T>(1, 7, 3, 5);
    const auto w = random_of<T>(2, 5, 6);
    const auto [one, two, outer, plain] = evaluate([](auto a, auto v) {
        const auto rows = sum(tanh(a), axis(1));
        return std::tuple{dot(reshape(rows, {batch, 1, 5}), v), dot(reshape(rows, {batch, 1, 1, 5}), v),
                          dot(reshape(rows, {1, batch, 1, 5}), v), rows};
    })(shaped<batch, 3, 5>(x), shaped<5, 6>(w));
    const Reference wanted = product(Reference(plain), Reference(w));
    const auto examine = [&](const auto& found, Index extents) {
        Reference reshaped(std::move(extents));
        reshaped.data = wanted.data;
        CHECK(relative_error(found, reshaped, 1.0) < 4 * 6 * epsilon<T>);
    };
    examine(one, {7, 1, 6});
    examine(two, {7, 1, 1, 6});
    examine(outer, {1, 7, 1, 6});
}

TEST_CASE("extents of one, and rank 5 with leading axes kept apart", "[function]") {
    const auto x = random_of<double>(1, 3, 1), y = random_of<double>(2, 1, 4);
    expect<double>(evaluate(dotted)(shaped<3, 1>(x), shaped<1, 4>(y)), Reference(x), Reference(y));
    const auto one = random_of<double>(3, 1, 1);
    expect<double>(evaluate(dotted)(shaped<1, 1>(one), shaped<1, 4>(y)), Reference(one), Reference(y));
    const auto a = random_of<float>(4, 2, 3, 2, 4, 5), b = random_of<float>(5, 2, 3, 2, 5, 3);
    expect<float>(evaluate(dotted)(shaped<2, batch, 2, 4, 5>(a), shaped<2, batch, 2, 5, 3>(b)), Reference(a),
                  Reference(b));
}
