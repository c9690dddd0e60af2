// SPDX-License-Identifier: BSL-1.0
// Pools with padding `same`, of every size, beside loops by hand.
#include <sigma/layer/pooling.hpp>

#include <sigma/core/philox.hpp>
#include <sigma/execution/check_gradients.hpp>
#include <sigma/layer/dense.hpp>
#include <sigma/layer/squared_diff.hpp>
#include <sigma/network/dynamic_network.hpp>
#include <sigma/network/model.hpp>

#include <catch2/catch.hpp>

#include <algorithm>
#include <limits>
#include <vector>

using namespace sigma;

namespace {

Array<double> random_array(std::vector<std::size_t> shape, std::uint64_t seed) {
    PhiloxSequence random{Philox(seed)};
    auto x = Array<double>::from_shape(std::move(shape));
    for (double& v : x) v = random.uniform<double>() - 0.7;  // most are negative: a zero of the padding would win
    return x;
}

/// Where the windows of TensorFlow's "SAME" lie along an axis.
struct Along {
    int length, window, stride;
    int count() const { return (length + stride - 1) / stride; }
    int first(int i) const {
        const int outside = std::max(0, (count() - 1) * stride + window - length);
        return i * stride - outside / 2;
    }
};

/// One image of `channels`; only what is inside it counts.
Array<double> by_hand(const Array<double>& x, const Along& down, const Along& right, bool greatest) {
    const auto at = [](int i) { return static_cast<std::size_t>(i); };
    const std::size_t records = x.shape(0), channels = x.shape(3);
    auto y = Array<double>::from_shape({records, at(down.count()), at(right.count()), channels});
    for (std::size_t r = 0; r < records; ++r)
        for (int i = 0; i < down.count(); ++i)
            for (int j = 0; j < right.count(); ++j)
                for (std::size_t c = 0; c < channels; ++c) {
                    double most = -std::numeric_limits<double>::infinity(), sum = 0, count = 0;
                    for (int a = std::max(0, down.first(i)); a < std::min(down.length, down.first(i) + down.window);
                         ++a)
                        for (int b = std::max(0, right.first(j));
                             b < std::min(right.length, right.first(j) + right.window); ++b, ++count) {
                            most = std::max(most, x(r, at(a), at(b), c));
                            sum += x(r, at(a), at(b), c);
                        }
                    y(r, at(i), at(j), c) = greatest ? most : sum / count;
                }
    return y;
}
void check_same(const Array<double>& found, const Array<double>& wanted) {
    REQUIRE(found.shape() == wanted.shape());
    double apart = 0;
    for (std::size_t i = 0; i < wanted.size(); ++i)
        apart = std::max(apart, std::abs(found.data()[i] - wanted.data()[i]));
    CHECK(apart < 1e-12);
}

}  // namespace

TEST_CASE("Pools take `same` on images that are smaller than their windows, and padding is nothing") {
    for (int height = 1; height <= 5; ++height)
        for (int width : {1, 2, 5})
            for (int window = 1; window <= 5; ++window)
                for (int stride = 1; stride <= 4; ++stride) {
                    CAPTURE(height, width, window, stride);
                    const PoolingOptions how{.stride = stride, .padding = same};
                    const Along down{height, window, stride}, right{width, window, stride};
                    const auto x =
                        random_array({2, static_cast<std::size_t>(height), static_cast<std::size_t>(width), 3}, 7);
                    const Model<DynamicNetwork, double> most(network(Input(height, width, 3) + MaxPool(window, how)));
                    check_same(most.predict(x), by_hand(x, down, right, true));
                    const Model<DynamicNetwork, double> mean(
                        network(Input(height, width, 3) + AveragePool(window, how)));
                    check_same(mean.predict(x), by_hand(x, down, right, false));
                }
}

TEST_CASE("So do pools over time") {
    for (int time = 1; time <= 5; ++time)
        for (int window = 1; window <= 5; ++window)
            for (int stride = 1; stride <= 4; ++stride) {
                CAPTURE(time, window, stride);
                const auto x = random_array({2, static_cast<std::size_t>(time), 3}, 8);
                Array<double> image = x;
                image.reshape({2, 1, static_cast<std::size_t>(time), 3});
                const Along one{1, 1, 1}, along{time, window, stride};
                const auto pooled = [&](bool greatest) {
                    auto y = by_hand(image, one, along, greatest);
                    y.reshape({2, static_cast<std::size_t>(along.count()), 3});
                    return y;
                };
                const PoolingOptions how{.stride = stride, .padding = same};
                check_same(Model<DynamicNetwork, double>(network(Input(time, 3) + MaxPool(window, how))).predict(x),
                           pooled(true));
                check_same(Model<DynamicNetwork, double>(network(Input(time, 3) + AveragePool(window, how))).predict(x),
                           pooled(false));
            }
}

TEST_CASE("Zeros of a padding in numbers count in an average, as PyTorch has it") {
    const Model<DynamicNetwork, double> mean(network(Input(2, 2, 1) + AveragePool(3, {.stride = 1, .padding = 1})));
    CHECK(mean.predict(Array<double>({1, 2, 2, 1}, {9, 18, 27, 36}))(0, 0, 0, 0) == Approx(10));
    const Model<DynamicNetwork, double> inside(
        network(Input(2, 2, 1) + AveragePool(3, {.stride = 1, .padding = same})));
    CHECK(inside.predict(Array<double>({1, 2, 2, 1}, {9, 18, 27, 36}))(0, 0, 0, 0) == Approx(22.5));
}

TEST_CASE("Gradients go through pools that reach over both edges of an image") {
    const auto x = random_array({3, 2, 3, 2}, 9);
    const auto examine = [&](const auto& layers) {
        const Model<DynamicNetwork, double> model(network(layers), 1);
        auto y = model.predict(x);
        y.fill(0.3);
        const auto report = check_gradients(model, x, y);
        INFO(report.text());
        CHECK_NOTHROW(report.require());
    };
    examine(Input(2, 3, 2) + Elementwise() + MaxPool(3, {.padding = same}) + SquaredDiff());
    examine(Input(2, 3, 2) + Elementwise() + AveragePool(3, {.padding = same}) + SquaredDiff());
    examine(Input(2, 3, 2) + Elementwise() + MaxPool({5, 4}, {.stride = 1, .padding = same}) + SquaredDiff());
    examine(Input(2, 3, 2) + Elementwise() + AveragePool({5, 4}, {.stride = 1, .padding = same}) + SquaredDiff());
}
