// SPDX-License-Identifier: BSL-1.0
#include <sigma/device/profiler.hpp>
#include <sigma/layer/convolution.hpp>
#include <sigma/layer/dense.hpp>
#include <sigma/layer/dropout.hpp>
#include <sigma/layer/normalization.hpp>
#include <sigma/layer/pooling.hpp>
#include <sigma/layer/recurrent.hpp>
#include <sigma/layer/reshape.hpp>
#include <sigma/layer/softmax_ce.hpp>
#include <sigma/network/layers.hpp>
#include <sigma/optimizer/adam.hpp>
#include <sigma/optimizer/gradient_descent.hpp>
#include <sigma/profile.hpp>

#include "support/allocations.hpp"

#include <catch2/catch.hpp>

#include <algorithm>
#include <chrono>
#include <cstring>
#include <filesystem>
#include <fstream>
#include <set>
#include <sstream>

using namespace sigma;
using test::allocations;

namespace {

struct Digits : Network<Input(784) + Dense(128, relu) + Dense(64, relu) + Dense(10) + SoftmaxCE()> {};
struct Images : Network<Input(12, 12, 1) + Conv2D(8, 3, relu) + MaxPool(2) + Flatten() + BatchNorm() + Dense(32, tanh) +
                        Dropout(0.5) + Dense(10) + SoftmaxCE()> {};
struct Sequences : Network<Input(9, 4) + LSTM(8) + Dense(10) + SoftmaxCE()> {};
struct Tiny : Network<Input(4) + Dense(4, tanh) + Dense(3) + SoftmaxCE()> {};

Dataset records(std::size_t count, std::vector<std::size_t> shape, std::size_t classes = 10) {
    std::vector<std::size_t> extents{count};
    std::size_t each = 1;
    for (const std::size_t extent : shape) extents.push_back(extent), each *= extent;
    Numbers x{extents, std::vector<float>(count * each)}, y{{count}, {}};
    Philox(3, RandomUse::user, 0).fill_normal(std::span(x.values));
    for (std::size_t i = 0; i < count; ++i) y.values.push_back(static_cast<float>(i % classes));
    return {x, y, "records"};
}

/// Returns the parts of the step in which a layer has kernels.
std::set<std::string> parts_of(const ProfiledProgram& program, std::string_view layer) {
    std::set<std::string> parts;
    for (const ProfileRow& row : program.rows)
        if (row.layer == layer) parts.insert(row.part);
    return parts;
}
double sum_of_seconds(const ProfiledProgram& program) {
    double sum = 0;
    for (const ProfileRow& row : program.rows) sum += row.seconds;
    return sum;
}
const std::set<std::string> all_parts{"forward", "backward", "update"};

}  // namespace

TEST_CASE("a profile has a row for each kernel of the step, with its layer and its part") {
    Trainer trainer("digits", Digits{}, Adam{}, minibatches(records(1000, {784}), 100));
    const Profile measured = profile(trainer, 20, iteration);
    CHECK(trainer.iteration() == 20);
    REQUIRE(measured.programs.size() == 1);
    const ProfiledProgram& step = measured["training step"];
    CHECK(step.device == "cpu");
    CHECK(step.threads == 1);
    CHECK(step.runs == 20);
    CHECK(step.timed >= 1);
    CHECK(step.records == 100);
    const auto& kernels = trainer.training_step().plan().kernels;
    REQUIRE(step.rows.size() == kernels.size());
    CHECK(step.launches == static_cast<int>(kernels.size()));
    double share = 0;
    for (std::size_t i = 0; i < step.rows.size(); ++i) {
        const ProfileRow& row = step.rows[i];
        CHECK(row.number == static_cast<int>(i));
        CHECK_FALSE(row.kernel.empty());
        CHECK(row.calls == 20);
        CHECK(row.seconds >= 0);
        share += row.share;
    }
    CHECK(share == Approx(1));
    CHECK(sum_of_seconds(step) == Approx(step.seconds * 20));
    for (const char* layer : {"1-dense", "2-dense", "3-dense"}) CHECK(parts_of(step, layer) == all_parts);
    CHECK_FALSE(parts_of(step, "4-softmax_ce").empty());
    // The products have the multiply-adds of the summary three times, without the gradient of the first layer's input.
    double multiply_adds = 0;
    for (const ProfileRow& row : step.rows) multiply_adds += row.multiply_adds;
    CHECK(multiply_adds == Approx(20 * 100.0 * (3 * (784 * 128 + 128 * 64 + 64 * 10) - 784 * 128)));
}

TEST_CASE("the kernels of a profile take about the time of the step in the loop") {
    Trainer trainer("digits", Digits{}, Adam{}, minibatches(records(1000, {784}), 100));
    const Profile measured = profile(trainer, 60, iteration);
    REQUIRE(measured.loops.size() == 1);
    const ProfiledLoop& loop = measured.loops[0];
    CHECK(loop.trainer == "digits");
    CHECK(loop.iterations == 60);
    const double step = loop["step"].seconds / 60, kernels = measured["training step"].seconds;
    CHECK(kernels < 1.1 * step);
    CHECK(kernels > 0.7 * step);
    CHECK(loop["wait for data"].seconds > 0);
    CHECK(loop["hooks"].calls == 60);
    double share = 0;
    for (const ProfileRow& row : loop.rows)
        if (row.kernel != "hooks of epochs" && row.kernel != "validation") share += row.share;
    CHECK(share == Approx(1).margin(0.01));
    CHECK_THROWS_AS(loop["waiting"], ArgumentError);
    CHECK_THROWS_AS(measured["prediction"], ArgumentError);
}

TEST_CASE("loops are measured without kernels, and a profile around them continues") {
    Trainer trainer("digits", Digits{}, Adam{}, minibatches(records(1000, {784}), 100));
    std::vector<ProfiledLoop> loops;
    const Profile measured = profile([&] {
        {
            const detail::MeasuredLoops now;
            trainer.run(cpu(), 2);
            loops = now.loops();
        }
        trainer.run(cpu(), 1);
    });
    REQUIRE(loops.size() == 1);
    CHECK(loops[0].trainer == "digits");
    CHECK(loops[0].iterations == 20);
    CHECK(loops[0]["wait for data"].share + loops[0]["step"].share > 0.5);
    REQUIRE(measured.loops.size() == 1);
    CHECK(measured.loops[0].iterations == 10);
    CHECK(measured["training step"].runs == 10);
    CHECK(detail::profile_now() == 0);
}

TEST_CASE("layers without parameters have their own rows in a profile") {
    Trainer trainer("images", Images{}, Adam{}, minibatches(records(256, {12, 12, 1}), 32));
    const Profile measured = profile(trainer, 1, epoch);
    CHECK(trainer.epoch() == 1);
    const ProfiledProgram& step = measured["training step"];
    for (const char* layer : {"1-conv2d", "4-batch_norm", "5-dense", "7-dense"})
        CHECK(parts_of(step, layer) == all_parts);
    CHECK(parts_of(step, "2-max_pool").contains("forward"));
    CHECK(parts_of(step, "2-max_pool").contains("backward"));
    const std::vector<ProfileRow> layers = step.by_layer();
    double seconds = 0;
    for (const ProfileRow& layer : layers) seconds += layer.seconds;
    CHECK(seconds == Approx(sum_of_seconds(step)));
    CHECK(
        std::ranges::is_sorted(layers, {}, [](const ProfileRow& l) { return static_cast<unsigned>(l.layer_number); }));
}

TEST_CASE("kernels of a loop over time count once for each position") {
    Trainer trainer("sequences", Sequences{}, Adam{}, minibatches(records(64, {9, 4}), 16));
    const Profile measured = profile(trainer, 8, iteration);
    const ProfiledProgram& step = measured["training step"];
    const auto plan = trainer.training_step().plan();
    int repeated = 0;
    for (std::size_t i = 0; i < step.rows.size(); ++i) {
        const int loop = plan.kernels[i].loop;
        const int positions = loop < 0 ? 1 : plan.loops[static_cast<std::size_t>(loop)].count;
        CHECK(step.rows[i].calls == 8u * static_cast<unsigned>(positions));
        repeated += positions > 1;
    }
    CHECK(repeated > 0);
    CHECK(parts_of(step, "1-lstm") == all_parts);
}

TEST_CASE("a profile changes no results, on one thread and on several") {
    const auto parameters = [](bool profiled, const Device& device) {
        Trainer trainer("digits", Digits{}, Adam{}, minibatches(records(1000, {784}), 100), element<float>, 7);
        if (profiled) profile(trainer, 12, iteration, device);
        else {
            trainer.add(after(12, iteration).then(stop));
            trainer.run(device);
        }
        const auto all = std::as_const(trainer.model()).parameter_memory();
        return std::vector<float>(all.begin(), all.end());
    };
    const std::vector<float> plain = parameters(false, cpu(1));
    CHECK(parameters(true, cpu(1)) == plain);
    CHECK(parameters(true, cpu(2)) == plain);
}

TEST_CASE("a profile of several threads has the same work, and kernels that add up to the step") {
    Trainer trainer("digits", Digits{}, Adam{}, minibatches(records(2000, {784}), 500));
    const Profile one = profile(trainer, 4, iteration), two = profile(trainer, 4, iteration, cpu(2));
    const ProfiledProgram &a = one["training step"], &b = two["training step"];
    CHECK(b.threads == 2);
    CHECK(b.busy > 0);
    CHECK(b.busy <= 1);
    REQUIRE(a.rows.size() == b.rows.size());
    for (std::size_t i = 0; i < a.rows.size(); ++i) {
        CHECK(a.rows[i].calls == b.rows[i].calls);
        CHECK(a.rows[i].multiply_adds == b.rows[i].multiply_adds);
    }
    CHECK(sum_of_seconds(b) == Approx(b.seconds * 4));
}

TEST_CASE("interpreted kernels of run-time networks are in a profile, too") {
    Trainer trainer("made", network(Input(784) + Dense(32, relu) + Dense(10) + SoftmaxCE()), GradientDescent{},
                    minibatches(records(300, {784}), 100));
    const Profile measured = profile(trainer, 6, iteration);
    const ProfiledProgram& step = measured["training step"];
    CHECK_FALSE(step.fused);
    CHECK(step.rows.size() == trainer.training_step().plan().kernels.size());
    CHECK(parts_of(step, "1-dense").contains("forward"));
    CHECK(parts_of(step, "2-dense").contains("backward"));
}

TEST_CASE("small steps are timed now and then, and the means hold for all") {
    Trainer trainer("tiny", Tiny{}, GradientDescent{}, minibatches(records(400, {4}, 3), 4));
    const Profile measured = profile(trainer, 30, epoch);
    const ProfiledProgram& step = measured["training step"];
    CHECK(step.runs == 3000);
    CHECK(step.timed < 1500);
    CHECK(step.rows[0].calls == 3000);
    CHECK(measured.loops[0].iterations == 3000);
    CHECK(measured.loops[0].timed < 1500);
}

TEST_CASE("a profile contains predictions and scores") {
    Trainer trainer("tiny", Tiny{}, GradientDescent{}, minibatches(records(40, {4}, 3), 4));
    const Dataset data = records(40, {4}, 3);
    const Profile measured = profile([&] {
        trainer.predict(data.inputs());
        trainer.evaluate(data);
    });
    CHECK(measured.loops.empty());
    CHECK(measured["prediction"].records == 40);
    CHECK(measured["prediction"].rows[0].part == "forward");
    CHECK(measured["score"].runs >= 1);
}

TEST_CASE("without a profile nothing is measured and no step allocates") {
    Trainer trainer("digits", Digits{}, Adam{}, minibatches(records(1000, {784}), 100));
    profile(trainer, 3, iteration);
    CHECK(detail::profile_of([] {}).programs.empty());
    std::vector<long> counts;
    counts.reserve(100);
    trainer.on_iteration([&](auto&) { counts.push_back(allocations); });
    trainer.run(cpu(1), 1);
    REQUIRE(counts.size() > 4);
    CHECK(counts.back() == counts[1]);
}

TEST_CASE("a trainer that a callback of another one runs has its own loop in a profile") {
    Trainer outer("outer", Tiny{}, GradientDescent{}, minibatches(records(40, {4}, 3), 4));
    Trainer inner("inner", Tiny{}, GradientDescent{}, minibatches(records(40, {4}, 3), 4));
    outer.on_iteration([&](auto&) { inner.run(cpu(1), 1); });
    const Profile measured = profile(outer, 5, iteration);
    REQUIRE(measured.loops.size() == 2);
    CHECK(measured.loops[0].iterations == 5);
    CHECK(measured.loops[1].trainer == "inner");
    CHECK(measured.loops[1].iterations == 50);
    CHECK(measured.loops[0]["step"].calls == 5);
    CHECK(measured.loops[1]["step"].calls == 50);
}

TEST_CASE("a profile ends when its run throws") {
    Trainer trainer("tiny", Tiny{}, GradientDescent{}, minibatches(records(40, {4}, 3), 4));
    CHECK_THROWS_AS(profile([] { throw std::runtime_error("no"); }), std::runtime_error);
    CHECK_THROWS_AS(profile(trainer, 0, iteration), ArgumentError);
    trainer.optimizer.learning_rate = -1;
    CHECK_THROWS_AS(profile(trainer, 1, iteration), ArgumentError);
    trainer.optimizer.learning_rate = 0.1;
    const Profile measured = profile(trainer, 2, iteration);
    CHECK(measured["training step"].runs == 2);  // the hook of the failed profile is gone
    CHECK(trainer.iteration() == 2);
}

TEST_CASE("a profile is a table and a trace") {
    Trainer trainer("digits \"x\"", Digits{}, Adam{}, minibatches(records(1000, {784}), 100));
    const Profile measured = profile(trainer, 5, iteration);
    const std::string text = measured.text(3);
    for (const char* part : {"trainer 'digits \"x\"': 5 iterations", "wait for data", "training step on cpu, 1 thread",
                             "1-dense", "GFLOP/s", "of peak", " more kernels: ", "peak of one core: "})
        CHECK(text.find(part) != std::string::npos);
    CHECK(measured.text(0).find("more kernels") == std::string::npos);
    CHECK_THROWS_AS(measured.text(-1), ArgumentError);
    const std::string file = (std::filesystem::temp_directory_path() / "sigma_profile_test.json").string();
    measured.write_trace(file);
    std::stringstream written;
    written << std::ifstream(file).rdbuf();
    std::filesystem::remove(file);
    CHECK(written.str() == measured.trace());
    CHECK(written.str().find("\"trainer\": \"digits \\\"x\\\"\"") != std::string::npos);
    // The example's test (tests/examples/profile_trace.py) reads a trace as JSON.
    std::size_t events = 0;
    for (std::size_t at = 0; (at = written.str().find("\"ph\": \"X\"", at)) != std::string::npos; ++at) ++events;
    CHECK(events == measured.events.size());
    CHECK(events > 20);
    CHECK_THROWS_AS(measured.write_trace("/no/such/folder/trace.json"), Error);
}

TEST_CASE("shares of the peak are about 1 at most") {
    Trainer trainer("digits", Digits{}, Adam{}, minibatches(records(1000, {784}), 100));
    const Profile measured = profile(trainer, 20, iteration);
#if defined(SIGMA_COMPILED) && !defined(SIGMA_TEST_IS_SANITIZED)
    CHECK(measured.peak.float_operations > 1e9);
#else  // kernels without optimization
    CHECK(measured.peak.float_operations > 1e7);
#endif
    REQUIRE(measured.peak.bytes.size() == measured.peak.bytes_per_second.size());
    for (const ProfileRow& row : measured["training step"].rows) {
        if (row.multiply_adds < 1e6) continue;
        CHECK(row.share_of_peak > 0.01);
        CHECK(row.share_of_peak < 1.5);
    }
}
