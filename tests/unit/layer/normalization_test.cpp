// SPDX-License-Identifier: BSL-1.0
// LayerNorm, RMSNorm, GroupNorm and InstanceNorm: all normalize inside one record.
#include "support.hpp"

#include <sigma/layer/dense.hpp>
#include <sigma/layer/normalization.hpp>

using namespace sigma;
using namespace sigma::test;

namespace {

struct Layer1 : Network<Input(5, 7) + Elementwise() + LayerNorm() + SquaredDiff()> {};
struct Layer2 : Network<Input(2, 3, 5) + Elementwise() + LayerNorm({.epsilon = 0.1, .axes = 2}) + SquaredDiff()> {};
struct LayerPlain : Network<Input(9) + Elementwise() + LayerNorm({.affine = false}) + SquaredDiff()> {};
struct Rms : Network<Input(3, 7) + Elementwise() + RMSNorm() + SquaredDiff()> {};
struct RmsPlain : Network<Input(13) + Elementwise() + RMSNorm({.epsilon = 0.5, .affine = false}) + SquaredDiff()> {};
struct Groups : Network<Input(3, 5, 6) + Elementwise() + GroupNorm(3) + SquaredDiff()> {};
struct Instances : Network<Input(7, 5) + Elementwise() + GroupNorm(5, {.epsilon = 0.1}) + SquaredDiff()> {};
struct GroupRow : Network<Input(12) + Elementwise() + GroupNorm(2, {.affine = false}) + SquaredDiff()> {};
struct InstanceImages : Network<Input(3, 2, 5) + Elementwise() + InstanceNorm() + SquaredDiff()> {};
struct InstanceTimes
    : Network<Input(6, 3) + Elementwise() + InstanceNorm({.epsilon = 0.1, .affine = false}) + SquaredDiff()> {};

/// `group(i)` says with which elements of a record element i is normalized; `feature(i)` which scale and shift it has.
template <class N>
void examine(bool centre, double epsilon, auto group, auto feature) {
    constexpr std::size_t record = N::input.count(), records = 3;
    Model<N, double> model(1);
    scramble(model, 7);
    const Values x = normal(record * records, 5, 2), found = predict(model, x);
    const Values w = values(model.parameter(0)), b = values(model.parameter(1));
    Values scale, shift;
    if (model.parameter_count > 2) scale = values(model.parameter(2));
    if (model.parameter_count > 3) shift = values(model.parameter(3));
    Values wanted(x.size());
    for (std::size_t r = 0; r < records; ++r) {
        Values z(record);
        for (std::size_t i = 0; i < record; ++i) z[i] = x[r * record + i] * w[i] + b[i];
        for (std::size_t i = 0; i < record; ++i) {
            double sum = 0, square = 0, n = 0;
            for (std::size_t k = 0; k < record; ++k)
                if (group(k) == group(i)) sum += z[k], ++n;
            const double mean = centre ? sum / n : 0;
            for (std::size_t k = 0; k < record; ++k)
                if (group(k) == group(i)) square += (z[k] - mean) * (z[k] - mean);
            double y = (z[i] - mean) / std::sqrt(square / n + epsilon);
            if (!scale.empty()) y *= scale[feature(i)];
            if (!shift.empty()) y += shift[feature(i)];
            wanted[r * record + i] = y;
        }
    }
    CHECK(distance(found, wanted) < 1e-12);
    CHECK(gradient_error<N>(3) < gradient_tolerance);
}

}  // namespace

TEST_CASE("LayerNorm normalizes the last axes of each position") {
    examine<Layer1>(true, 1e-5, [](auto i) { return i / 7; }, [](auto i) { return i % 7; });
    examine<Layer2>(true, 0.1, [](auto i) { return i / 15; }, [](auto i) { return i % 15; });
    examine<LayerPlain>(true, 1e-5, [](auto) { return 0; }, [](auto i) { return i; });
}
TEST_CASE("RMSNorm divides by the root mean square of the last axis") {
    examine<Rms>(false, 1e-6, [](auto i) { return i / 7; }, [](auto i) { return i % 7; });
    examine<RmsPlain>(false, 0.5, [](auto) { return 0; }, [](auto i) { return i; });
}
TEST_CASE("GroupNorm normalizes groups of features over all positions") {
    examine<Groups>(true, 1e-5, [](auto i) { return i % 6 / 2; }, [](auto i) { return i % 6; });
    examine<Instances>(true, 0.1, [](auto i) { return i % 5; }, [](auto i) { return i % 5; });
    examine<GroupRow>(true, 1e-5, [](auto i) { return i / 6; }, [](auto i) { return i; });
}
TEST_CASE("InstanceNorm normalizes each feature over all positions") {
    examine<InstanceImages>(true, 1e-5, [](auto i) { return i % 5; }, [](auto i) { return i % 5; });
    examine<InstanceTimes>(true, 0.1, [](auto i) { return i % 3; }, [](auto i) { return i; });
}
