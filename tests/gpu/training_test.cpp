// SPDX-License-Identifier: BSL-1.0
#include <catch2/catch.hpp>
#include <gpu/trained.hpp>
#include <sigma/data/transform/augmentations.hpp>
#include <sigma/trainer/registry.hpp>

#include <algorithm>
#include <array>
#include <chrono>
#include <set>
#include <thread>

using namespace trained;

namespace {

// Devices sum in another order than the processor, so that a few steps of a small network change its losses, which are
// near 1, by some units in the last place.
constexpr double loss_tolerance = 2e-5;

struct Told {
    std::vector<double> told;
    std::vector<float> parameters;
};
template <class N, class O, class T = float>
Told told_on(const Device& device, Minibatches of, O optimizer, std::int64_t epochs, bool each = true) {
    Trainer trainer("small", N{}, optimizer, std::move(of), element<T>);
    Told all;
    if (each) trainer.on_iteration([&](auto& t) { all.told.push_back(t.loss()); });
    trainer.on_epoch([&](auto& t) { all.told.push_back(t.training_loss()); });
    trainer.run(device, epochs);
    for (const auto& x : parameters_of(trainer.model())) all.parameters.push_back(static_cast<float>(x));
    return all;
}
void check_equal(const Told& a, const Told& b) {
    CHECK(a.told.size() == b.told.size());
    CHECK(apart(a.told, b.told) < loss_tolerance);
    CHECK(apart(a.parameters, b.parameters) < 10 * loss_tolerance);
}

struct TwoCosts
    : Network<Input(5) + Dense(6, relu) + Costs(Dense(3) + SoftmaxCE(), loss_weight(0.5, Dense(1) + SquaredDiff()))> {};

}  // namespace

TEST_CASE("a network trains on an accelerator as on the processor") {
    const auto device = on_gpu::host_backend();
    const auto here = told_on<Small>(cpu(), batches_of(), Adam{}, 3);
    CHECK(here.told.size() == 3 * 5 + 3);
    told_on<Small>(device, batches_of(), Adam{}, 3);
    CHECK(device->counters().replays > 0);
    const auto descended = told_on<Small>(cpu(), batches_of(), GradientDescent{.learning_rate = 0.1}, 3);
    for (const Device& each : devices()) {
        INFO(each.name());
        check_equal(told_on<Small>(each, batches_of(), Adam{}, 3), here);
        check_equal(told_on<Small>(each, batches_of(), GradientDescent{.learning_rate = 0.1}, 3), descended);
    }
}

TEST_CASE("losses that nobody reads stay on the accelerator") {
    const auto downloads = [](std::size_t records, bool each) {
        const auto device = on_gpu::host_backend();
        told_on<Small>(device, batches_of(records), Adam{}, 2, each);
        return device->counters().downloads;
    };
    CHECK(downloads(64, false) == downloads(160, false));
    CHECK(downloads(64, true) >= downloads(64, false) + 2 * 3);
}

TEST_CASE("records that do not stay on the accelerator are copied there") {
    auto of = batches_of() >> data::augment(data::section_words::inputs, data::noise(0.1));
    for (const std::size_t prefetch : {0, 2}) {
        of.prefetch = prefetch;
        const auto here = told_on<Small>(cpu(), of, Adam{}, 2);
        for (const Device& each : devices()) check_equal(told_on<Small>(each, of, Adam{}, 2), here);
    }
}

TEST_CASE("records that an accelerator has no room for are copied there") {
    on_gpu::HostOptions options;
    options.memory = 64 << 10;  // 3000 records of 5 and 1 floats are more than half of it
    const auto device = on_gpu::host_backend(options);
    const auto there = told_on<Small>(device, batches_of(3000), Adam{}, 1, false);
    CHECK(device->counters().uploads > 3000 / 16);
    CHECK(apart(there.told, told_on<Small>(cpu(), batches_of(3000), Adam{}, 1, false).told) < loss_tolerance);
}

TEST_CASE("records stay on an accelerator only where the steps' own memory is left") {
    const auto uploads_with = [](std::size_t memory) {
        on_gpu::HostOptions options;
        options.memory = memory;
        const auto device = on_gpu::host_backend(options);
        told_on<Small>(device, minibatches(points(1500), 250, 5), Adam{}, 3, false);
        return device->counters().bytes_up;
    };
    constexpr std::size_t records = 1500 * 6 * sizeof(float), epochs = 3;
    const auto needs = [&](std::size_t memory) {
        try {
            return uploads_with(memory), false;
        } catch (const DeviceMemoryError&) { return true; }
    };
    std::size_t least = 1 << 14;  // memory of steps that copy their records
    while (needs(least)) least += 1 << 12;
    REQUIRE(least > 2 * records);  // half of it would hold the records
    for (std::size_t more = 0; more < 2 * records; more += 1 << 13)
        CHECK(uploads_with(least + more) > epochs * records);
    CHECK(uploads_with(least + 3 * records) < 2 * records);
}

TEST_CASE("many records are scored and predicted in parts where an accelerator has no room for all") {
    const auto all = points(3000);
    const Array<float> x = all.inputs();
    const auto look = [&](const Device& device) {
        Trainer trainer("small", Small{}, Adam{}, batches_of());
        std::vector<double> seen;
        sigma::detail::Evaluator<Small> scored(all);
        trainer.on_epoch([&](auto& t) {
            for (int i = 0; i < 2; ++i) {
                const auto score = scored(t.model());
                seen.push_back(score.error);
                seen.push_back(score.accuracy);
                for (const float p : t.predict(x)) seen.push_back(static_cast<double>(p));
            }
        });
        trainer.run(device, 1);
        return seen;
    };
    const auto here = look(cpu());
    on_gpu::HostOptions few, pieces;
    few.memory = 300 << 10;                // a plan for all records needs more
    pieces.largest_allocation = 96 << 10;  // enough memory, but not in one piece
    for (const auto& options : {few, pieces}) {
        const auto device = on_gpu::host_backend(options);
        CHECK(apart(look(device), here) < 10 * loss_tolerance);
        CHECK(device->counters().allocations < 60);
    }
}

TEST_CASE("data that are scored again and again stay on the accelerator") {
    const auto device = on_gpu::host_backend();
    Trainer trainer("small", Small{}, Adam{}, batches_of());
    sigma::detail::Evaluator<Small> scored(points(500));
    std::vector<std::uint64_t> bytes;
    std::vector<double> there;
    trainer.on_epoch([&](auto& t) {
        there.push_back(scored(t.model()).error);
        bytes.push_back(device->counters().bytes_up);
    });
    trainer.run(device, 3);
    CHECK(bytes[0] > 500 * 6 * sizeof(float));
    CHECK(bytes[2] - bytes[1] < 500 * 6 * sizeof(float) / 4);
    CHECK(scored(trainer.model()).error == Approx(there.back()).epsilon(1e-5));
}

TEST_CASE("double on an accelerator") {
    const auto here = told_on<Small, Adam, double>(cpu(), batches_of(), Adam{}, 2);
    for (const Device& each : devices())
        CHECK(apart(here.told, told_on<Small, Adam, double>(each, batches_of(), Adam{}, 2).told) < 1e-12);
}

TEST_CASE("prediction, evaluation, gradients and outputs within a run on an accelerator") {
    struct Seen {
        std::vector<double> numbers;
    };
    const auto look = [](const Device& device) {
        Trainer trainer("small", Small{}, Adam{}, batches_of());
        std::vector<double> seen;
        const auto all = points(40);
        const Array<float> x({3, 5}, std::vector<float>(15, 1.0f));
        trainer.on_epoch([&](auto& t) {
            const auto score = t.evaluate(all);
            seen.push_back(score.error);
            seen.push_back(score.accuracy);
            for (const float p : t.predict(x)) seen.push_back(static_cast<double>(p));
            for (const float g : t.gradients().values(0)) seen.push_back(static_cast<double>(g));
            for (const auto& layer : t.outputs())
                for (const float o : layer) seen.push_back(static_cast<double>(o));
        });
        trainer.run(device, 2);
        const auto after = trainer.evaluate(all);
        seen.push_back(after.error);
        return seen;
    };
    const auto here = look(cpu());
    CHECK(here.size() > 300);
    for (const Device& each : devices()) CHECK(apart(here, look(each)) < 10 * loss_tolerance);
}

TEST_CASE("hooks, rules and changes of parameters on an accelerator") {
    const auto train = [](const Device& device) {
        Trainer trainer("small", Small{}, Adam{.learning_rate = 0.05}, batches_of());
        trainer.freeze("1-*");
        trainer.modify("3-*.weights", clip(-0.3, 0.3));
        trainer.add(every(2, iteration).then(report(loss)));
        std::vector<double> told;
        trainer.output = [&](std::string_view line) { told.push_back(static_cast<double>(line.size())); };
        trainer.on_iteration([&](auto& t) {
            if (t.iteration() == 4) {
                t.model().template parameter<"3-dense.biases">()(0) = 0.5f;
                sigma::detail::HookAccess::view(t).parameters_changed();
                t.unfreeze("1-*");
            }
            told.push_back(t.loss());
        });
        const auto before = parameters_of(trainer.model());
        trainer.run(device, 2);
        told.push_back(trainer.training_loss());
        for (const float x : parameters_of(trainer.model())) told.push_back(static_cast<double>(x));
        return told;
    };
    const auto here = train(cpu());
    for (const Device& each : devices()) CHECK(apart(here, train(each)) < 10 * loss_tolerance);
}

TEST_CASE("a checkpoint moves between devices") {
    const auto continued = [](const Device& first, const Device& second) {
        return continued_elsewhere<Small>(first, second, "sigma_gpu_moves.sigma");
    };
    const auto here = continued(cpu(), cpu());
    for (const Device& device : devices()) {
        CHECK(apart(continued(device, cpu()), here) < 10 * loss_tolerance);
        CHECK(apart(continued(cpu(), device), here) < 10 * loss_tolerance);
        CHECK(apart(continued(device, device), here) < 10 * loss_tolerance);
    }
}

TEST_CASE("values are read from other threads while an accelerator trains") {
    const Device device = GENERATE(from_range(devices()));
    Trainer trainer("small", Small{}, Adam{}, batches_of());
    trainer.start(device, 40);
    double seen = 0;
    for (int i = 0; i < 2000 && seen == 0; ++i) {
        seen = trainer.loss();
        std::this_thread::sleep_for(std::chrono::milliseconds(1));
    }
    CHECK(seen > 0);
    const auto weights = trainer.registry().template get<Array<float>>("network.layers.1-dense.weights");
    CHECK(weights.size() == 35);
    trainer.wait();
    CHECK(trainer.iteration() == 40 * 5);
}

TEST_CASE("other threads predict while an accelerator trains what a step's end gives") {
    Trainer trainer("small", Small{}, Adam{}, batches_of());
    const auto& shared = trainer;
    const auto all = points(40);
    const Array<float> x({3, 5}, std::vector<float>(15, 1.0f));
    const auto predicted = [&] {
        const auto y = shared.predict(x);
        return std::vector<float>(y.begin(), y.end());
    };
    std::set<std::vector<float>> of_steps;
    trainer.on_iteration([&](auto&) { of_steps.insert(predicted()); });
    std::array<std::set<std::vector<float>>, 2> of_threads;
    std::array<double, 2> errors{};
    trainer.start(on_gpu::host_device());
    while (trainer.iteration() == 0) std::this_thread::yield();
    std::vector<std::thread> threads;
    for (std::size_t i = 0; i < 2; ++i)
        threads.emplace_back([&, i] {
            for (int k = 0; k < 15; ++k) of_threads[i].insert(predicted());
            errors[i] = shared.evaluate(all).error;
        });
    for (std::thread& t : threads) t.join();
    trainer.stop().wait();
    for (const auto& some : of_threads) {
        CHECK(some.size() > 1);
        CHECK(std::ranges::includes(of_steps, some));
    }
    CHECK(errors[0] > 0);
    CHECK(errors[1] < 2);
}

TEST_CASE("several costs on an accelerator") {
    const Dataset both = two_targets();
    const auto train = [&](const Device& device) {
        Trainer trainer("both", TwoCosts{}, Adam{}, minibatches(both, 8));
        std::vector<double> told;
        trainer.on_iteration([&](auto& t) {
            for (const double part : t.losses()) told.push_back(part);
        });
        trainer.run(device, 2);
        return told;
    };
    const auto here = train(cpu());
    CHECK(here.size() == 2 * 5 * 2);
    for (const Device& each : devices()) CHECK(apart(train(each), here) < loss_tolerance);
}
