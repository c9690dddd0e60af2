// SPDX-License-Identifier: BSL-1.0
#include <sigma/layer/convolution.hpp>
#include <sigma/layer/dense.hpp>
#include <sigma/layer/embedding.hpp>
#include <sigma/layer/pooling.hpp>
#include <sigma/layer/reshape.hpp>
#include <sigma/layer/softmax_ce.hpp>
#include <sigma/layer/squared_diff.hpp>
#include <sigma/network/programs.hpp>
#include <sigma/plan/kernel_cost.hpp>

#include <catch2/catch.hpp>

using namespace sigma;
using detail::Kernel;
using detail::KernelCost;

namespace {

struct Line : Network<Input(7) + Linear(5) + SquaredDiff()> {};
struct Halves : Network<Input(6) + Elementwise([](Tensor x) { return exp(x) * x + 1; }) + SquaredDiff()> {};
struct Image : Network<Input(6, 6, 3) + Conv2D(4, 3) + MaxPool(2) + Flatten() + SquaredDiff()> {};

template <class N>
detail::Plan plan_of_prediction() {
    return detail::make_plan(detail::NetworkProgram<N, detail::to_predict>{}(), 8);
}
template <class N>
KernelCost cost_of(Kernel::Kind kind, long long records) {
    const detail::Plan plan = plan_of_prediction<N>();
    const detail::PlanView view = detail::view_of<float>(plan);
    KernelCost all;
    for (const Kernel& k : view.kernels) {
        if (k.kind != kind) continue;
        const KernelCost one = kernel_cost(view, k, records);
        all.bytes_read += one.bytes_read, all.bytes_written += one.bytes_written;
        all.multiply_adds += one.multiply_adds, all.operations += one.operations;
    }
    return all;
}

}  // namespace

TEST_CASE("a product reads both factors, writes its result, and multiplies") {
    const KernelCost one = cost_of<Line>(Kernel::Kind::product, 10);
    CHECK(one.multiply_adds == 10 * 7 * 5);
    CHECK(one.bytes_read == 4 * (10 * 7 + 7 * 5));
    CHECK(one.bytes_written == 4 * (10 * 5));
    CHECK(one.arithmetic() == 2 * one.multiply_adds);
}

TEST_CASE("a fused kernel reads and writes each argument once and counts its operations") {
    const KernelCost one = cost_of<Halves>(Kernel::Kind::rows, 10);
    CHECK(one.bytes_read == 4 * (10 * 6 + 6 + 6));  // with the layer's weights and biases
    CHECK(one.bytes_written == 4 * 10 * 6);
    CHECK(one.operations == (2 + 1 + 2) * 10 * 6);  // y = w * x + b, exp(y), and again a multiply-add
    CHECK(one.multiply_adds == 0);
}

TEST_CASE("a convolution multiplies each position of its result by the weights of a window") {
    const KernelCost one = cost_of<Image>(Kernel::Kind::convolution, 2);
    CHECK(one.multiply_adds == 2 * (4 * 4) * 4 * (3 * 3 * 3));
    CHECK(one.bytes_read == 4 * (2 * 6 * 6 * 3 + 3 * 3 * 3 * 4));
    CHECK(one.bytes_written == 4 * (2 * 4 * 4 * 4));
    const KernelCost pooling = cost_of<Image>(Kernel::Kind::pooling, 2);
    CHECK(pooling.bytes_read == 4 * (2 * 4 * 4 * 4));
    CHECK(pooling.bytes_written == 4 * (2 * 2 * 2 * 4));
    CHECK(pooling.operations == 2 * 2 * 2 * 4 * 4);
}

TEST_CASE("the work of a kernel is proportional to the records, except for weights") {
    const KernelCost one = cost_of<Line>(Kernel::Kind::product, 1), many = cost_of<Line>(Kernel::Kind::product, 64);
    CHECK(many.multiply_adds == 64 * one.multiply_adds);
    CHECK(many.bytes_written == 64 * one.bytes_written);
    CHECK(many.bytes_read - 4 * 35 == 64 * (one.bytes_read - 4 * 35));
}

TEST_CASE("a summary names a product by its extents and a fused kernel by its operations") {
    const detail::Plan plan = plan_of_prediction<Line>();
    const detail::PlanView view = detail::view_of<float>(plan);
    bool found = false;
    for (const Kernel& k : view.kernels)
        if (k.kind == Kernel::Kind::product) {
            CHECK(kernel_summary(view, k) == "dot, batch x 5 x 7");
            found = true;
        }
    CHECK(found);
    const detail::Plan halves = plan_of_prediction<Halves>();
    CHECK(kernel_summary(detail::view_of<float>(halves), halves.kernels[0]) == "multiply_add, exp");
}
