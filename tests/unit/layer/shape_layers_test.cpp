// SPDX-License-Identifier: BSL-1.0
// Layers that only move, and those that act on each position or element: Flatten, Reshape, Permute, Linear,
// Elementwise, and pools over sequences.
#include "support.hpp"

#include <sigma/layer/convolution.hpp>
#include <sigma/layer/dense.hpp>
#include <sigma/layer/pooling.hpp>
#include <sigma/layer/reshape.hpp>

using namespace sigma;
using namespace sigma::test;

namespace {

constexpr auto cube = [](auto x) { return x * x * x; };

struct Flat : Network<Input(2, 3, 5) + Elementwise() + Flatten() + SquaredDiff()> {};
struct Cut : Network<Input(30) + Elementwise() + Reshape(2, 3, 5) + SquaredDiff()> {};
struct Open : Network<Input(2, 15) + Elementwise() + Reshape(5, -1) + SquaredDiff()> {};
struct Turned : Network<Input(2, 3, 5) + Elementwise() + Permute(3, 1, 2) + SquaredDiff()> {};
struct Each : Network<Input(3, 5) + Elementwise() + Linear(7, tanh) + SquaredDiff()> {};
struct EachCube : Network<Input(2, 3, 5) + Elementwise() + Linear(3, cube, {.bias = false}) + SquaredDiff()> {};
struct Row : Network<Input(5) + Elementwise() + Linear(2) + SquaredDiff()> {};
struct NoBias : Network<Input(3, 5) + Elementwise() + Dense(4, relu, {.bias = false}) + SquaredDiff()> {};
struct Own : Network<Input(3, 7) + Elementwise() + Elementwise(sigmoid) + SquaredDiff()> {};
struct OwnCube : Network<Input(11) + Elementwise() + Elementwise(cube, {.bias = false}) + SquaredDiff()> {};

// Two numbers of padding over a sequence are those before and after it.
struct MaxBefore : Network<Input(7, 3) + Elementwise() + MaxPool(3, {.stride = 2, .padding = {2, 0}}) + SquaredDiff()> {
};
struct MaxAfter : Network<Input(7, 3) + Elementwise() + MaxPool(3, {.stride = 2, .padding = {0, 1}}) + SquaredDiff()> {
};
struct MaxBoth : Network<Input(7, 3) + Elementwise() + MaxPool(3, {.stride = 1, .padding = 2}) + SquaredDiff()> {};
struct MaxFour
    : Network<Input(7, 3) + Elementwise() + MaxPool(3, {.stride = 2, .padding = {0, 0, 0, 1}}) + SquaredDiff()> {};
struct MeanBefore
    : Network<Input(7, 3) + Elementwise() + AveragePool(3, {.stride = 2, .padding = {2, 0}}) + SquaredDiff()> {};
struct MeanAfter
    : Network<Input(7, 3) + Elementwise() + AveragePool(3, {.stride = 2, .padding = {0, 3}}) + SquaredDiff()> {};
struct MeanBoth
    : Network<Input(7, 3) + Elementwise() + AveragePool(2, {.stride = 1, .padding = {1, 2}}) + SquaredDiff()> {};

template <class N>
struct Prepared {
    static constexpr std::size_t record = N::input.count(), records = 4;
    Model<N, double> model{1};
    Values x = normal(record * records, 2), z, y;  // z: what leaves the first layer
    Prepared() {
        scramble(model, 3);
        y = predict(model, x);
        const Values w = values(model.parameter(0)), b = values(model.parameter(1));
        for (std::size_t i = 0; i < x.size(); ++i) z.push_back(x[i] * w[i % record] + b[i % record]);
    }
};
/// x·W + b and an activation for each row.
template <class N>
void check_rows(bool bias, auto activation) {
    Prepared<N> p;
    const auto w = p.model.parameter(2);
    const std::size_t in = w.shape(0), out = w.shape(1), rows = p.z.size() / in;
    Values wanted;
    for (std::size_t r = 0; r < rows; ++r)
        for (std::size_t u = 0; u < out; ++u) {
            double sum = bias ? p.model.parameter(3)(u) : 0;
            for (std::size_t k = 0; k < in; ++k) sum += p.z[r * in + k] * w(k, u);
            wanted.push_back(activation(sum));
        }
    CHECK(p.model.parameter_count == (bias ? 4 : 3));
    CHECK(distance(p.y, wanted) < 1e-12);
    CHECK(gradient_error<N>(3) < gradient_tolerance);
}

/// Windows over 7 times of 3 features, with nothing, or zeros, before and after.
template <class N>
void check_pool(bool mean, int window, int stride, int before, int after) {
    const Prepared<N> p;
    Values wanted;
    for (std::size_t r = 0; r < p.records; ++r)
        for (int first = -before; first + window <= 7 + after; first += stride)
            for (std::size_t f = 0; f < 3; ++f) {
                double sum = 0, greatest = -1e300;
                for (int t = std::max(first, 0); t < std::min(first + window, 7); ++t) {
                    const double one = p.z[(r * 7 + static_cast<std::size_t>(t)) * 3 + f];
                    sum += one, greatest = std::max(greatest, one);
                }
                wanted.push_back(mean ? sum / window : greatest);
            }
    REQUIRE(p.y.size() == wanted.size());
    CHECK(distance(p.y, wanted) < 1e-12);
    CHECK(gradient_error<N>(3) < gradient_tolerance);
}
/// How long a sequence of 7 becomes under a layer with this padding.
template <auto layer>
struct Along : Network<Input(7, 3) + layer + SquaredDiff()> {
    static constexpr int time = Network<Input(7, 3) + layer + SquaredDiff()>::output[1];
};

}  // namespace

TEST_CASE("Two numbers of padding of a pool over a sequence are those before and after it") {
    check_pool<MaxBefore>(false, 3, 2, 2, 0);
    check_pool<MaxAfter>(false, 3, 2, 0, 1);
    check_pool<MaxBoth>(false, 3, 1, 2, 2);
    check_pool<MaxFour>(false, 3, 2, 0, 1);
    check_pool<MeanBefore>(true, 3, 2, 2, 0);
    check_pool<MeanAfter>(true, 3, 2, 0, 3);
    check_pool<MeanBoth>(true, 2, 1, 1, 2);
}
TEST_CASE("Every layer over sequences reads one padding as one length") {
    STATIC_REQUIRE(Along<Conv1D(3, 4, {.padding = {3, 1}})>::time == 8);
    STATIC_REQUIRE(Along<MaxPool(4, {.stride = 1, .padding = {3, 1}})>::time == 8);
    STATIC_REQUIRE(Along<AveragePool(4, {.stride = 1, .padding = {3, 1}})>::time == 8);
    STATIC_REQUIRE(Along<Conv1D(3, 4, {.padding = sigma::detail::Padding{3, 1}})>::time == 8);
    STATIC_REQUIRE(Along<Conv1D(3, 4, {.padding = 2})>::time == 8);
    STATIC_REQUIRE(Along<MaxPool(4, {.stride = 1, .padding = 2})>::time == 8);
    STATIC_REQUIRE(Along<AveragePool(4, {.stride = 1, .padding = 2})>::time == 8);
    STATIC_REQUIRE(Along<Conv1D(3, 4, {.padding = same})>::time == 7);
    STATIC_REQUIRE(Along<MaxPool(4, {.stride = 1, .padding = same})>::time == 7);
    STATIC_REQUIRE(Along<AveragePool(4, {.stride = 1, .padding = same})>::time == 7);
    // Before and after are not the same here: only the first position sees what is before.
    STATIC_REQUIRE(Along<MaxPool(4, {.stride = 4, .padding = {3, 0}})>::time == 2);
    STATIC_REQUIRE(Along<Conv1D(3, 4, {.stride = 4, .padding = {3, 0}})>::time == 2);
}

TEST_CASE("Flatten and Reshape keep the order of elements") {
    CHECK(distance(Prepared<Flat>().y, Prepared<Flat>().z) < 1e-15);
    CHECK(distance(Prepared<Cut>().y, Prepared<Cut>().z) < 1e-15);
    CHECK(distance(Prepared<Open>().y, Prepared<Open>().z) < 1e-15);
    STATIC_REQUIRE(Flat::output == Shape{batch, 30});
    STATIC_REQUIRE(Cut::output == Shape{batch, 2, 3, 5});
    STATIC_REQUIRE(Open::output == Shape{batch, 5, 6});
    CHECK(gradient_error<Cut>(3) < gradient_tolerance);
    CHECK(gradient_error<Open>(3) < gradient_tolerance);
}
TEST_CASE("Permute moves axes") {
    STATIC_REQUIRE(Turned::output == Shape{batch, 5, 2, 3});
    const Prepared<Turned> p;
    Values wanted;
    for (std::size_t r = 0; r < 4; ++r)
        for (std::size_t c = 0; c < 5; ++c)
            for (std::size_t a = 0; a < 2; ++a)
                for (std::size_t b = 0; b < 3; ++b) wanted.push_back(p.z[((r * 2 + a) * 3 + b) * 5 + c]);
    CHECK(distance(p.y, wanted) < 1e-15);
    CHECK(gradient_error<Turned>(3) < gradient_tolerance);
}
TEST_CASE("Linear works on the last axis of each position") {
    STATIC_REQUIRE(Each::output == Shape{batch, 3, 7});
    check_rows<Each>(true, [](double z) { return std::tanh(z); });
    check_rows<EachCube>(false, [](double z) { return z * z * z; });
    check_rows<Row>(true, [](double z) { return z; });
}
TEST_CASE("Dense without biases has none") {
    STATIC_REQUIRE(NoBias::output == Shape{batch, 4});
    check_rows<NoBias>(false, [](double z) { return z > 0 ? z : 0; });
}
TEST_CASE("Elementwise has a weight and a bias for each element of a record") {
    Model<Own, double> fresh(1);
    CHECK(values(fresh.parameter(2)) == Values(21, 1.0));
    CHECK(values(fresh.parameter(3)) == Values(21, 0.0));
    Prepared<Own> q;
    const Values v = values(q.model.parameter(2)), b = values(q.model.parameter(3));
    Values wanted;
    for (std::size_t i = 0; i < q.z.size(); ++i)
        wanted.push_back(1 / (1 + std::exp(-(q.z[i] * v[i % 21] + b[i % 21]))));
    CHECK(distance(q.y, wanted) < 1e-14);
    CHECK(gradient_error<Own>(3) < gradient_tolerance);
    Prepared<OwnCube> c;
    wanted.clear();
    for (std::size_t i = 0; i < c.z.size(); ++i) wanted.push_back(std::pow(c.z[i] * c.model.parameter(2)(i % 11), 3));
    CHECK(c.model.parameter_count == 3);
    CHECK(distance(c.y, wanted) < 1e-13);
    CHECK(gradient_error<OwnCube>(3) < gradient_tolerance);
}
