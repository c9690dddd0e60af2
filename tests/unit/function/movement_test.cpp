// SPDX-License-Identifier: BSL-1.0
// What moves elements: results are bit for bit the elements of the arguments.
#include "support.hpp"

using namespace sigma;
using namespace sigma::test;

namespace {

template <class R>
bool same_elements(const R& found, const Reference& wanted) {
    return relative_error(found, wanted) == 0;
}
/// Axis i of the result is axis order[i] of x.
Reference permuted(const Reference& x, const std::vector<std::size_t>& order) {
    Index e(order.size());
    for (std::size_t i = 0; i < e.size(); ++i) e[i] = x.extents[order[i]];
    return Reference(e).each([&](const Index& at) {
        Index from(at.size());
        for (std::size_t i = 0; i < at.size(); ++i) from[order[i]] = at[i];
        return x.at(from);
    });
}
Reference sliced(const Reference& x, std::size_t axis, std::size_t first, std::size_t end) {
    Index e = x.extents;
    e[axis] = end - first;
    return Reference(e).each([&](Index at) {
        at[axis] += first;
        return x.at(at);
    });
}
Reference joined(const Reference& x, const Reference& y, std::size_t axis) {
    Index e = x.extents;
    e[axis] += y.extents[axis];
    return Reference(e).each([&](Index at) {
        if (at[axis] < x.extents[axis]) return x.at(at);
        at[axis] -= x.extents[axis];
        return y.at(at);
    });
}
Reference reshaped(Reference x, Index extents) {
    x.extents = std::move(extents);
    return x;
}

}  // namespace

TEMPLATE_TEST_CASE("reshape and flatten", "[function]", float, double) {
    using T = TestType;
    for (const std::size_t n : {1u, 2u, 5u, 9u}) {
        const auto x = random_of<T>(n, n, 6, 5);
        const auto r = evaluate([](auto v) {
            // The last one computes first, into a buffer with padded rows.
            return std::tuple{reshape(v, {batch, 30}),
                              reshape(v, {batch, 2, 3, 5}),
                              flatten(v),
                              reshape(v, {-6, 5}),
                              reshape(v + v, {batch, 3, 10}),
                              reshape(reshape(v, {batch, 30}), {batch, 6, 5})};
        })(shaped<batch, 6, 5>(x));
        const Reference a(x);
        CHECK(same_elements(std::get<0>(r), reshaped(a, {n, 30})));
        CHECK(same_elements(std::get<1>(r), reshaped(a, {n, 2, 3, 5})));
        CHECK(same_elements(std::get<2>(r), reshaped(a, {n, 30})));
        CHECK(same_elements(std::get<3>(r), reshaped(a, {6 * n, 5})));
        Reference twice = reshaped(a, {n, 3, 10});
        for (double& v : twice.data) v += v;
        CHECK(same_elements(std::get<4>(r), twice));
        CHECK(same_elements(std::get<5>(r), a));
    }
}

TEMPLATE_TEST_CASE("all six orders of three axes", "[function]", float, double) {
    using T = TestType;
    for (const int n : {1, 3, 16, 18}) {
        const auto x = random_of<T>(static_cast<std::uint64_t>(n), n, 4, 17);
        const auto r = evaluate([](auto v) {
            return std::tuple{permute(v, {0, 1, 2}), permute(v, {0, 2, 1}),
                              permute(v, {1, 0, 2}), permute(v, {1, 2, 0}),
                              permute(v, {2, 0, 1}), permute(v, {2, 1, 0}),
                              transpose(v),          permute(permute(v, {1, 2, 0}), {2, 0, 1})};
        })(shaped<batch, 4, 17>(x));
        const Reference a(x);
        CHECK(same_elements(std::get<0>(r), a));
        CHECK(same_elements(std::get<1>(r), permuted(a, {0, 2, 1})));
        CHECK(same_elements(std::get<2>(r), permuted(a, {1, 0, 2})));
        CHECK(same_elements(std::get<3>(r), permuted(a, {1, 2, 0})));
        CHECK(same_elements(std::get<4>(r), permuted(a, {2, 0, 1})));
        CHECK(same_elements(std::get<5>(r), permuted(a, {2, 1, 0})));
        CHECK(same_elements(std::get<6>(r), permuted(a, {2, 1, 0})));
        CHECK(same_elements(std::get<7>(r), a));
    }
}

TEST_CASE("matrices of every odd size transpose, and rank 6 permutes", "[function]") {
    for (std::size_t n = 1; n <= 33; ++n) {
        const auto x = random<float, 2>(n, {n, 19});
        CHECK(same_elements(evaluate([](auto v) { return transpose(v); })(shaped<batch, 19>(x)),
                            permuted(Reference(x), {1, 0})));
    }
    const auto x = random_of<double>(1, 2, 3, 1, 4, 5, 2);
    const auto r = evaluate([](auto v) {
        return std::tuple{permute(v, {5, 0, 3, 2, 1, 4}), permute(v, {0, 1, 2, 4, 5, 3})};
    })(shaped<2, 3, 1, 4, 5, 2>(x));
    CHECK(same_elements(std::get<0>(r), permuted(Reference(x), {5, 0, 3, 2, 1, 4})));
    CHECK(same_elements(std::get<1>(r), permuted(Reference(x), {0, 1, 2, 4, 5, 3})));
    const auto v = random_of<float>(1, 7);
    CHECK(same_elements(evaluate([](auto a) { return transpose(a); })(v), Reference(v)));
}

TEMPLATE_TEST_CASE("slices along each axis", "[function]", float, double) {
    using T = TestType;
    for (const std::size_t n : {1u, 2u, 7u}) {
        const auto x = random_of<T>(n, n, 5, 11);
        const auto r = evaluate([](auto v) {
            return std::tuple{slice(v, axis(1), 0, 2),
                              slice(v, axis(1), 4, 5),
                              slice(v, axis(2), 3, 11),
                              slice(v, axis(-1), 0, 1),
                              slice(v, axis(2), 0, 11),
                              slice(slice(v, axis(2), 2, 9), axis(1), 1, 4),
                              tanh(slice(v * 2.0, axis(2), 1, 10))};
        })(shaped<batch, 5, 11>(x));
        const Reference a(x);
        CHECK(same_elements(std::get<0>(r), sliced(a, 1, 0, 2)));
        CHECK(same_elements(std::get<1>(r), sliced(a, 1, 4, 5)));
        CHECK(same_elements(std::get<2>(r), sliced(a, 2, 3, 11)));
        CHECK(same_elements(std::get<3>(r), sliced(a, 2, 0, 1)));
        CHECK(same_elements(std::get<4>(r), a));
        CHECK(same_elements(std::get<5>(r), sliced(sliced(a, 2, 2, 9), 1, 1, 4)));
        Reference t = sliced(a, 2, 1, 10);
        for (double& v : t.data) v = std::tanh(2 * v);
        CHECK(relative_error(std::get<6>(r), t) < 6 * epsilon<T>);  // tanh, docs/accuracy.md
    }
    const auto fixed = random_of<T>(3, 6, 4);
    CHECK(same_elements(evaluate([](auto v) { return slice(v, axis(0), 2, 5); })(shaped<6, 4>(fixed)),
                        sliced(Reference(fixed), 0, 2, 5)));
}

TEMPLATE_TEST_CASE("concatenate along each axis", "[function]", float, double) {
    using T = TestType;
    for (const int n : {1, 4, 9}) {
        const auto x = random_of<T>(1, n, 3, 5), y = random_of<T>(2, n, 3, 1), z = random_of<T>(3, n, 2, 5);
        const auto r = evaluate([](auto a, auto b, auto c) {
            return std::tuple{concatenate(axis(2), a, b), concatenate(axis(-1), b, a, b), concatenate(axis(1), a, c),
                              concatenate(axis(1), a + a, c, a)};
        })(shaped<batch, 3, 5>(x), shaped<batch, 3, 1>(y), shaped<batch, 2, 5>(z));
        const Reference a(x), b(y), c(z);
        CHECK(same_elements(std::get<0>(r), joined(a, b, 2)));
        CHECK(same_elements(std::get<1>(r), joined(joined(b, a, 2), b, 2)));
        CHECK(same_elements(std::get<2>(r), joined(a, c, 1)));
        Reference twice = a;
        for (double& v : twice.data) v += v;
        CHECK(same_elements(std::get<3>(r), joined(joined(twice, c, 1), a, 1)));
    }
    const auto u = random_of<T>(4, 3, 4), v = random_of<T>(5, 6, 4);
    CHECK(same_elements(
        evaluate([](auto a, auto b) { return concatenate(axis(0), a, b); })(shaped<3, 4>(u), shaped<6, 4>(v)),
        joined(Reference(u), Reference(v), 0)));
}

TEMPLATE_TEST_CASE("pad each axis in every mode", "[function]", float, double) {
    using T = TestType;
    for (const int n : {1, 4}) {
        const auto x = random_of<T>(1, n, 3, 5);
        const auto r = evaluate([](auto v) {
            return std::tuple{pad(v, axis(1), 2, 1),
                              pad(v, axis(2), 0, 3, 0.5),
                              pad(v, axis(-1), 2, 0, -std::numeric_limits<double>::infinity()),
                              pad(v, axis(1), 2, 1, PadMode::edge),
                              pad(v, axis(2), 4, 3, PadMode::reflect),
                              pad(v, axis(1), 0, 0, 7),
                              pad(v, axis(2), 0, 2, PadMode::edge),
                              pad(v, axis(1), 1, 0, PadMode::reflect)};
        })(shaped<batch, 3, 5>(x));
        const Reference a(x);
        const auto padded = [&](std::size_t axis, int before, int after, auto outside) {
            Index extents = a.extents;
            const int count = static_cast<int>(extents[axis]);
            extents[axis] += static_cast<std::size_t>(before + after);
            return Reference(extents).each([&](Index at) {
                const int i = static_cast<int>(at[axis]) - before;
                return i >= 0 && i < count ? (at[axis] = static_cast<std::size_t>(i), a.at(at)) : outside(at, i);
            });
        };
        const auto number = [](double value) { return [value](const Index&, int) { return value; }; };
        const auto element = [&](std::size_t axis, bool mirrored) {
            return [&a, axis, mirrored](Index at, int i) {
                const int last = static_cast<int>(a.extents[axis]) - 1;
                at[axis] = static_cast<std::size_t>(mirrored ? (i < 0 ? -i : 2 * last - i) : i < 0 ? 0 : last);
                return a.at(at);
            };
        };
        CHECK(same_elements(std::get<0>(r), padded(1, 2, 1, number(0))));
        CHECK(same_elements(std::get<1>(r), padded(2, 0, 3, number(0.5))));
        CHECK(same_elements(std::get<2>(r), padded(2, 2, 0, number(-std::numeric_limits<double>::infinity()))));
        CHECK(same_elements(std::get<3>(r), padded(1, 2, 1, element(1, false))));
        CHECK(same_elements(std::get<4>(r), padded(2, 4, 3, element(2, true))));
        CHECK(same_elements(std::get<5>(r), a));
        CHECK(same_elements(std::get<6>(r), padded(2, 0, 2, element(2, false))));
        CHECK(same_elements(std::get<7>(r), padded(1, 1, 0, element(1, true))));
    }
}

TEMPLATE_TEST_CASE("broadcast_to and one_hot", "[function]", float, double) {
    using T = TestType;
    const auto row = random_of<T>(1, 7);
    const auto column = random_of<T>(2, 4, 1);
    const auto r = evaluate([](auto a, auto b) {
        return std::tuple{broadcast_to(b, {batch, 7}), broadcast_to(a, {2, 3, 7}), broadcast_to(a, {1, 7})};
    })(shaped<7>(row), shaped<batch, 1>(column));
    const Reference a(row), b(column);
    CHECK(same_elements(std::get<0>(r), Reference(Index{4, 7}).each([&](const Index& at) { return b.at(at); })));
    CHECK(same_elements(std::get<1>(r), Reference(Index{2, 3, 7}).each([&](const Index& at) { return a.at(at); })));
    CHECK(same_elements(std::get<2>(r), reshaped(a, {1, 7})));

    const xt::xtensor<T, 1> labels{3, 0, 9, 2, 2};
    const auto h = evaluate([](auto l) { return std::tuple{one_hot(l, 10), one_hot(l, 1), one_hot(l, 17)}; })(labels);
    const Reference l(labels);
    const auto hot = [&](std::size_t classes) {
        return Reference(Index{5, classes}).each([&](const Index& at) {
            return l.data[at[0]] == static_cast<double>(at[1]);
        });
    };
    CHECK(same_elements(std::get<0>(h), hot(10)));
    CHECK(same_elements(std::get<1>(h), hot(1)));
    CHECK(same_elements(std::get<2>(h), hot(17)));
}
