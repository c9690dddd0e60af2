// SPDX-License-Identifier: BSL-1.0
// Laws that hold on every device: the processor with fused and with interpreted kernels, the debug device, GPUs. Laws
// of training on devices and groups are in training_laws_test.cpp.
#include <sigma/tape/convolution.hpp>
#include <sigma/tape/scan.hpp>

#include "devices.hpp"
#include "support/networks.hpp"

#include <catch2/catch.hpp>

#include <cstring>

using namespace sigma;
using namespace sigma::test;

namespace {

struct Maps {
    constexpr sigma::detail::Program operator()() const {
        sigma::detail::Program p;
        Recorder r(p);
        const auto x = r.input<batch, 13>();
        const auto y = r.input<batch, 1>();
        const auto w = r.parameter<13>();
        r.output(tanh(x * y) + exp(w));
        r.output(where(x < y, sqrt(x * x + 1.0), abs(x) / (1.0 + w * w)));
        r.output(max(x, w));
        r.assign(w.variable, (w * 0.5).variable);
        return p;
    }
};
struct Reductions {
    constexpr sigma::detail::Program operator()() const {
        sigma::detail::Program p;
        Recorder r(p);
        const auto x = r.input<batch, 3, 37>();
        const auto y = r.input<300, 5>();
        r.output(sum(x, axis(-1)));
        r.output(max(x, axis(1)));
        r.output(sum(x, axes(0, 1)));
        r.output(mean(square(x)));
        r.output(min(y, axis(0)));
        r.output(softmax(x));
        r.output(argmax(y, axis(1)));
        return p;
    }
};
struct Products {
    constexpr sigma::detail::Program operator()() const {
        sigma::detail::Program p;
        Recorder r(p);
        const auto x = r.input<batch, 9>();
        const auto w = r.parameter<9, 17>();
        const auto z = r.input<batch, 4, 5>();
        const auto v = r.input<batch, 5, 3>();
        const auto a = r.input<1, 70>();
        const auto b = r.parameter<70, 2>();
        r.output(dot(x, w));
        r.output(dot(transpose(x), dot(x, w)));
        r.output(dot(z, v));
        r.output(dot(a, b));
        r.output(dot(w, permute(w, {1, 0})));
        return p;
    }
};
struct Movement {
    constexpr sigma::detail::Program operator()() const {
        sigma::detail::Program p;
        Recorder r(p);
        const auto x = r.input<batch, 6, 5>();
        const auto y = r.input<7, 3>();
        r.output(permute(x, {0, 2, 1}));
        r.output(permute(x, {2, 1, 0}));
        r.output(slice(x, axis(1), 2, 5));
        r.output(concatenate(axis(2), x, slice(x, axis(2), 0, 3)));
        r.output(transpose(y));
        r.output(reshape(x, {batch, 30}));
        return p;
    }
};
struct Tables {
    constexpr sigma::detail::Program operator()() const {
        sigma::detail::Program p;
        Recorder r(p);
        const auto table = r.parameter<8, 5>();
        const auto ids = r.input<batch, 3>();
        const auto rate = r.input<>();
        const auto loss = mean(square(gather(table, ids)));
        r.output(gather(table, ids));
        r.descend(loss, rate);
        return p;
    }
};
struct Random {
    constexpr sigma::detail::Program operator()() const {
        sigma::detail::Program p;
        Recorder r(p);
        const auto x = r.input<batch, 45>();
        const Tensor u{{&p.tape, p.tape.leaf(sigma::detail::Operation::uniform, Shape{batch, 45}, 0)}};
        const Tensor v{{&p.tape, p.tape.leaf(sigma::detail::Operation::uniform, Shape{3, 2}, 1)}};
        r.output(u + 0.0 * x);
        r.output(v + 0.0);
        return p;
    }
};
struct BothWays {
    constexpr sigma::detail::Program operator()() const {
        sigma::detail::Program p;
        Recorder r(p);
        const auto x = r.input<batch, 6, 3>();
        const auto h = r.input<batch, 4>();
        const auto w = r.parameter<3, 4>();
        const auto u = r.parameter<4, 4>();
        const auto rate = r.input<>();
        const auto f = [&](auto now, auto before) { return tanh(dot(now, w) + dot(before, u)); };
        const auto there = scan(x, h, f);
        const auto back = scan(x, h, f, Direction::backwards);
        r.output(there);
        r.output(back);
        r.descend(mean(square(there + back)), rate);
        return p;
    }
};
struct Descent {
    constexpr sigma::detail::Program operator()() const { return iris_step(); }
};

template <class D, class Make, class T>
void check_law(double tolerance, std::initializer_list<long long> sizes = {3, 7, 1, 130, 3}) {
    const auto device = D::open();
    if (!device) return;
    Machine<T> machine(device, D::template source<Make, T>());
    const sigma::detail::Program program = Make{}();
    unsigned seed = 0;
    for (long long records : sizes) {
        Bindings values = random_bindings(program, records, ++seed);
        for (auto* list : {&values.inputs, &values.parameters})
            for (Values& v : *list)
                for (double& x : v) x = static_cast<double>(static_cast<float>(x));
        if (std::is_same_v<Make, Descent> || std::is_same_v<Make, Tables>)
            for (double& x : values.inputs[std::is_same_v<Make, Descent>]) x = std::round(std::abs(x));
        machine.set_random(5, 3);
        machine.bind(values, records, false);
        machine.run();
        INFO(D::name << ", " << name(sigma::detail::element_type<T>) << ", " << records << " records");
        CHECK(difference(machine, interpret(program, values, records), tolerance * D::rounding) == "");
        const std::vector<Values> first = machine.outputs(), parameters = machine.parameters();
        machine.bind(values, records, false);
        machine.run();
        CHECK(machine.outputs() == first);  // bit-identical
        CHECK(machine.parameters() == parameters);
    }
}

}  // namespace

#define SIGMA_DEVICES Fused, Interpreted, Debugged, Threadless, Emulated, Cuda

TEMPLATE_TEST_CASE("law: maps", "[gpu]", SIGMA_DEVICES) {
    static_assert(AnyDevice<TestType>);
    check_law<TestType, Maps, double>(1e-14);
    check_law<TestType, Maps, float>(1e-6);
}
TEMPLATE_TEST_CASE("law: reductions along rows and over columns", "[gpu]", SIGMA_DEVICES) {
    check_law<TestType, Reductions, float>(1e-6);
}
TEMPLATE_TEST_CASE("law: products", "[gpu]", SIGMA_DEVICES) { check_law<TestType, Products, float>(2e-6); }
TEMPLATE_TEST_CASE("law: movement leaves bits as they are", "[gpu]", SIGMA_DEVICES) {
    check_law<TestType, Movement, float>(0);
}
TEMPLATE_TEST_CASE("law: tables are read and written", "[gpu]", SIGMA_DEVICES) {
    check_law<TestType, Tables, float>(1e-6);
}
TEMPLATE_TEST_CASE("law: random numbers have the same bits", "[gpu]", SIGMA_DEVICES) {
    check_law<TestType, Random, float>(0);
    check_law<TestType, Random, double>(0);
}
TEMPLATE_TEST_CASE("law: loops over time, there and back", "[gpu]", SIGMA_DEVICES) {
    // Split products without fused arithmetic round more, and each position multiplies rounded values of the previous
    // one.
    check_law<TestType, BothWays, float>(std::is_same_v<TestType, Emulated> ? 5e-6 : 2e-6);
}
TEMPLATE_TEST_CASE("law: steps of gradient descent", "[gpu]", SIGMA_DEVICES) {
    check_law<TestType, Descent, float>(2e-6);
}

TEMPLATE_TEST_CASE("law: download after upload, copy and clear", "[gpu]", SIGMA_DEVICES) {
    const detail::SharedOwner<sigma::detail::ComputeDevice> device = TestType::open();
    if (!device) return;
    std::vector<float> from(1000), to(1000);
    for (std::size_t i = 0; i < from.size(); ++i) from[i] = static_cast<float>(i) / 7;
    const sigma::detail::DeviceMemory x(device, 4000, "a test"), y(device, 4000, "a test");
    CHECK(reinterpret_cast<std::uintptr_t>(x.data()) % 256 == 0);
    device->download(to.data(), x.data(), 4000);
    CHECK(to == std::vector<float>(1000, 0.0f));
    device->upload(x.data(), from.data(), 4000);
    device->copy(y.data(), x.data(), 4000);
    device->clear(x.as<float>() + 10, 40);
    device->download(to.data(), y.data(), 4000);
    CHECK(to == from);
    device->download(to.data(), x.data(), 4000);
    std::fill_n(from.begin() + 10, 10, 0.0f);
    CHECK(to == from);
}

TEMPLATE_TEST_CASE("law: a replay does what was captured", "[gpu]", SIGMA_DEVICES) {
    const auto device = TestType::open();
    if (!device) return;
    const sigma::detail::ProgramSource source = TestType::template source<Descent, float>();
    Machine<float> machine(device, source), twin(device, source);
    const sigma::detail::Program program = iris_step();
    Bindings values = random_bindings(program, 33, 2);
    for (double& x : values.inputs[1]) x = std::round(std::abs(x));
    machine.bind(values, 33);
    twin.bind(values, 33);
    machine.run();
    twin.run();
    const auto replay = machine.capture();
    for (int i = 0; i < 4; ++i) {
        replay->run();
        twin.run();
        CHECK(machine.outputs() == twin.outputs());
        CHECK(machine.parameters() == twin.parameters());
    }
}

TEMPLATE_TEST_CASE("law: work is done in the order in which it was asked for", "[gpu]", SIGMA_DEVICES) {
    const detail::SharedOwner<sigma::detail::ComputeDevice> device = TestType::open();
    if (!device) return;
    Machine<float> machine(device, TestType::template source<Descent, float>());
    const sigma::detail::Program program = iris_step();
    Bindings values = random_bindings(program, 9, 4);
    for (double& x : values.inputs[1]) x = std::round(std::abs(x));
    machine.bind(values, 9);
    machine.run();
    const std::vector<Values> once = machine.parameters();
    machine.bind(values, 9, true);
    machine.run();  // with the parameters after the first run
    const std::vector<Values> twice = machine.parameters();
    CHECK(once != twice);
    machine.bind(values, 9);
    for (int i = 0; i < 2; ++i) machine.run();
    CHECK(machine.parameters() == twice);
    const std::vector<float> first{1, 2, 3}, second{4, 5, 6};
    std::vector<float> to(3);
    const sigma::detail::DeviceMemory x(device, 12, "a test"), y(device, 12, "a test");
    device->upload(x.data(), first.data(), 12);
    device->copy(y.data(), x.data(), 12);
    device->upload(x.data(), second.data(), 12);
    device->download(to.data(), y.data(), 12);
    CHECK(to == first);
}

TEMPLATE_TEST_CASE("law: records are gathered in the order of an epoch, and losses added up", "[gpu]", SIGMA_DEVICES) {
    const detail::SharedOwner<sigma::detail::ComputeDevice> device = TestType::open();
    if (!device) return;
    std::vector<float> rows(5 * 3), to(2 * 3);
    for (std::size_t i = 0; i < rows.size(); ++i) rows[i] = static_cast<float>(i);
    const std::vector<std::uint32_t> order{4, 0, 3, 1, 2};
    const sigma::detail::StepCounters begin{7, 11, 1};
    const float losses[] = {0.5f, 2.0f, std::numeric_limits<float>::infinity(), std::nanf("")};
    const sigma::detail::DeviceMemory from(device, sizeof(float) * rows.size(), "a test"), batch(device, 24, "a test"),
        positions(device, 20, "a test"), counters(device, sizeof begin, "a test"), loss(device, 4, "a test"),
        tally(device, sizeof(sigma::detail::LossAccumulator), "a test");
    device->upload(from.data(), rows.data(), from.bytes());
    device->upload(positions.data(), order.data(), positions.bytes());
    device->upload(counters.data(), &begin, sizeof begin);
    const sigma::detail::GatherRecords::Section section{from.data(), batch.data(), 3};
    for (int step = 0; step < 2; ++step) {
        device->gather({{&section, 1},
                        positions.as<std::uint32_t>(),
                        counters.as<sigma::detail::StepCounters>(),
                        2,
                        sigma::detail::element_type<float>});
        device->upload(loss.data(), &losses[step], 4);
        device->accumulate_loss(tally.as<sigma::detail::LossAccumulator>(), counters.as<sigma::detail::StepCounters>(),
                                loss.data(), sigma::detail::element_type<float>, 2);
        device->download(to.data(), batch.data(), batch.bytes());
        const float one = static_cast<float>(3 * order[1 + 2 * step]),
                    two = static_cast<float>(3 * order[2 + 2 * step]);
        CHECK(to == std::vector<float>{one, one + 1, one + 2, two, two + 1, two + 2});
    }
    sigma::detail::LossAccumulator sum;
    device->download(&sum, tally.data(), sizeof sum);
    CHECK(sum.total == 5);
    CHECK(sum.records == 4);
    CHECK(sum.first_non_finite == 0);
    for (int step = 2; step < 4; ++step) {
        device->upload(loss.data(), &losses[step], 4);
        device->accumulate_loss(tally.as<sigma::detail::LossAccumulator>(), counters.as<sigma::detail::StepCounters>(),
                                loss.data(), sigma::detail::element_type<float>, 1);
    }
    sigma::detail::StepCounters end;
    device->download(&sum, tally.data(), sizeof sum);
    device->download(&end, counters.data(), sizeof end);
    CHECK(sum.first_non_finite == 13);  // the first
    CHECK(end.seed == 7);
    CHECK(end.step == 15);
    CHECK(end.first == 7);
}

TEMPLATE_TEST_CASE("law: what a device cannot run it refuses by a typed error", "[gpu]", Fused, Interpreted, Debugged) {
    const detail::SharedOwner<sigma::detail::ComputeDevice> device = TestType::open();
    CHECK_THROWS_AS(device->make_program(view_of<float>(PlanOf<Descent, float>::plan)), ArgumentError);
}
