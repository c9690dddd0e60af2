// SPDX-License-Identifier: BSL-1.0
// Programs of a device: memory, order, products of the library with their epilogues, errors.
#include <sigma/plan/product_forms.hpp>

#include "devices.hpp"
#include "support/networks.hpp"

#include <catch2/catch.hpp>

#include <set>

using namespace sigma;
using namespace sigma::test;

namespace {

std::uint64_t issued(const on_gpu::HostBackend& device) {
    return device.counters().launches + device.counters().products + device.counters().clears;
}
/// Returns the counters; only the host backend has them.
const on_gpu::HostBackend* counting(const std::shared_ptr<on_gpu::Backend>& device) {
    return dynamic_cast<const on_gpu::HostBackend*>(device.get());
}
Bindings iris_bindings(const sigma::detail::Program& p, long long records) {
    Bindings b = random_bindings(p, records, 3);
    for (double& x : b.inputs[1]) x = std::abs(std::round(x));
    b.inputs[2] = {0.125};
    return b;
}
int products(const sigma::detail::Plan& plan) {
    int n = 0;
    for (const sigma::detail::Kernel& k : plan.kernels) n += k.kind == sigma::detail::Kernel::Kind::product;
    return n;
}
int merges(const sigma::detail::Plan& plan) {
    const std::vector<sigma::detail::ProductForm> forms = find_product_forms(view_of<float>(plan));
    int n = 0;
    for (int i = 0; i < plan.kernels.size(); ++i)
        n += forms[static_cast<std::size_t>(i)].epilogue != sigma::detail::ProductEpilogue::none;
    return n;
}

int needless(const sigma::detail::Plan& plan) {
    std::set<int> transpositions;
    for (const sigma::detail::ProductForm& f : find_product_forms(view_of<float>(plan)))
        if (f.transposition >= 0) transpositions.insert(f.transposition);
    return static_cast<int>(transpositions.size());
}

/// A plan of y = f(x · w, b) and the kernels after it.
template <class F>
struct AfterProduct {
    sigma::detail::Program program{};
    sigma::detail::Plan plan{};
    explicit AfterProduct(F f) {
        Recorder r(program);
        const auto x = r.input<batch, 5>();
        const auto w = r.parameter<5, 7>();
        const auto b = r.parameter<7>();
        f(r, dot(x, w), b);
        plan = sigma::detail::make_plan(program, 4);
    }
    /// Runs it with the kernels that were merged, and compares it with the interpreter.
    std::uint64_t merged(double tolerance = 1e-13) {
        std::uint64_t fewer = 0;
        for (long long records : {1, 9}) {
            const Bindings bindings = random_bindings(program, records, 11);
            const Interpretation wanted = interpret(program, bindings, records);
            const auto device = one_thread();
            Machine<double> machine(device, view_of<double>(plan));
            machine.bind(bindings, records);
            machine.run();
            CHECK(difference(machine, wanted, tolerance) == "");
            CHECK(static_cast<std::uint64_t>(machine.program().launches()) == issued(*device));
            fewer = static_cast<std::uint64_t>(plan.kernels.size()) - issued(*device);
        }
        return fewer;
    }
};

}  // namespace

TEST_CASE("a training step on a device, one batch after another", "[gpu]") {
    const sigma::detail::Program program = iris_step();
    const sigma::detail::Plan plan = sigma::detail::make_plan(program, 4);
    for (const auto& device : with_cuda({one_thread(), many_threads(), without_library()})) {
        const on_gpu::HostBackend* const counts = counting(device);
        Machine<double> machine(device, view_of<double>(plan));
        std::uint64_t version = machine.program().version();
        std::size_t bytes = 0;
        for (long long records : {3, 7, 64, 65, 5, 200, 3}) {
            const Bindings bindings = iris_bindings(program, records);
            const Interpretation wanted = interpret(program, bindings, records);
            machine.bind(bindings, records);
            machine.prepare();
            const std::uint64_t before = counts ? issued(*counts) : 0;
            machine.run();
            CHECK(difference(machine, wanted, 1e-12) == "");
            if (counts) CHECK(issued(*counts) - before == static_cast<std::uint64_t>(machine.program().launches()));
            CHECK(machine.program().arena_bytes() >= bytes);
            bytes = machine.program().arena_bytes();
        }
        CHECK(machine.program().version() > version);
        version = machine.program().version();
        machine.run();
        CHECK(machine.program().version() == version);
        CHECK(bytes >= static_cast<std::size_t>(plan.fixed_size + 200 * plan.batched_size) * sizeof(double));
    }
}

TEST_CASE("a program compiles once, and allocates only when the batch outgrows all before", "[gpu]") {
    const sigma::detail::Program program = iris_step();
    const sigma::detail::Plan plan = sigma::detail::make_plan(program, 4);
    const auto device = one_thread();
    Machine<float> machine(device, view_of<float>(plan));
    const auto step = [&](long long records) {
        machine.bind(iris_bindings(program, records), records, true);
        const std::uint64_t before = device->counters().allocations;
        machine.run();
        return device->counters().allocations - before;
    };
    machine.bind(iris_bindings(program, 100), 100);
    CHECK(step(100) == 1);
    CHECK(step(104) == 0);  // whole packs of records
    CHECK(step(105) == 1);
    CHECK(step(7) == 0);
    CHECK(step(105) == 0);
    CHECK(device->counters().compilations == 1);
}

TEST_CASE("an arena is as large as its records need", "[gpu]") {
    const sigma::detail::Plan plan = sigma::detail::make_plan(iris_step(), 4);
    const auto bytes = [&]<class T>(T, std::ptrdiff_t records) {
        const auto device = one_thread();
        const auto program = device->make_program(view_of<T>(plan));
        const std::size_t told = program->arena_bytes(records);
        program->prepare(records);
        CHECK(program->arena_bytes() == told);
        CHECK(program->arena_bytes(records) == told);
        CHECK(told >= static_cast<std::size_t>(plan.fixed_size + plan.batched_size * records) * sizeof(T));
        return static_cast<double>(told) / sizeof(T);
    };
    const double one = bytes(1.0f, 1), fixed = plan.fixed_size + 64 * 8, batched = plan.batched_size;
    REQUIRE(64 * batched > fixed + 16 * batched);
    CHECK(one <= fixed + 4 * batched);
    CHECK(bytes(1.0, 1) <= fixed + 2 * batched);
    CHECK(bytes(1.0f, 8) <= fixed + 8 * batched);
    for (const std::ptrdiff_t records : {9, 33, 64, 65, 100, 200, 511, 513, 1000, 1025}) {
        const double in_parts = records > 511 ? 1 : 0;  // one element per record, for long sums
        CHECK(bytes(1.0f, records) <=
              fixed + std::max(static_cast<double>(records) * 1.125, static_cast<double>(records) + 3) *
                          (batched + in_parts));
    }
}

TEST_CASE("what was captured runs again, until the program's version says otherwise", "[gpu]") {
    const sigma::detail::Program program = iris_step();
    const sigma::detail::Plan plan = sigma::detail::make_plan(program, 4);
    const auto device = GENERATE(from_range(with_cuda({many_threads()})));
    Machine<double> machine(device, view_of<double>(plan));
    Bindings values = iris_bindings(program, 6);
    machine.bind(values, 6);
    machine.run();
    values.parameters = interpret(program, values, 6).parameters;
    const std::uint64_t version = machine.program().version();
    const auto replay = machine.capture();
    for (int i = 0; i < 3; ++i) {
        const Interpretation wanted = interpret(program, values, 6);
        replay->run();
        CHECK(difference(machine, wanted, 1e-12) == "");
        values.parameters = wanted.parameters;
    }
    CHECK(machine.program().version() == version);
    const sigma::detail::DeviceMemory elsewhere(device, 1024, "an output");
    machine.program().bind(sigma::detail::Buffer::Where::output, 0, elsewhere.data());
    CHECK(machine.program().version() > version);
}

TEST_CASE("a step of gradient descent negates its learning rate once", "[gpu]") {
    const sigma::detail::Program program = iris_step();
    const sigma::detail::Plan plan = sigma::detail::make_plan(program, 4);
    int negative = 0;
    for (const sigma::detail::Kernel& k : plan.kernels)
        negative += k.kind == sigma::detail::Kernel::Kind::product && k.product.scaled && k.product.negative;
    REQUIRE(negative > 1);
    const auto with = one_thread(), without = without_library();
    int launches[2], at = 0;
    for (const auto& device : {with, without}) {
        Machine<double> machine(device, view_of<double>(plan));
        machine.bind(iris_bindings(program, 9), 9);
        machine.run();
        launches[at++] = machine.program().launches();
    }
    CHECK(with->counters().products == static_cast<std::uint64_t>(products(plan)));
    CHECK(without->counters().products == 0);
    CHECK(launches[0] == launches[1] + 1 - merges(plan) - needless(plan));
}

TEST_CASE("products of the library take the bias and the relu after them", "[gpu]") {
    const auto merged = [](auto f) { return AfterProduct(f).merged(); };
    CHECK(merged([](Recorder& r, auto y, auto b) { r.output(dot(relu(b + y), r.parameter<7, 3>())); }) == 1);
    CHECK(merged([](Recorder& r, auto y, auto b) { r.output(y + b); }) == 1);
    CHECK(merged([](Recorder& r, auto y, auto b) { r.output(relu(y + b)); }) == 1);
    CHECK(merged([](Recorder& r, auto y, auto) { r.output(relu(y)); }) == 1);
}

TEST_CASE("products whose bare result is wanted keep the kernel after them", "[gpu]") {
    const auto merged = [](auto f) { return AfterProduct(f).merged(); };
    CHECK(merged([](Recorder& r, auto y, auto b) { r.output(y + b), r.output(y); }) == 0);
    CHECK(merged([](Recorder& r, auto y, auto b) { r.output(y + b), r.output(y * b); }) == 0);
    CHECK(merged([](Recorder& r, auto y, auto b) { r.output(relu(y + b)), r.output(y + b); }) == 0);
    CHECK(merged([](Recorder& r, auto y, auto b) { r.output(max(y + b, Tensor{constant(y.variable.tape, 1)})); }) == 0);
    CHECK(merged([](Recorder& r, auto y, auto b) { r.output(y - b); }) == 0);
    CHECK(merged([](Recorder& r, auto y, auto b) { r.output(relu(y) + b); }) == 0);
    CHECK(merged([](Recorder& r, auto y, auto b) { r.output(y + b + b); }) == 0);
}

TEST_CASE("products of the library read what was to be transposed for them", "[gpu]") {
    sigma::detail::Program program;
    Recorder r(program);
    const auto x = r.input<batch, 5>();
    const auto w = r.parameter<7, 5>();
    const auto v = r.parameter<7, 9>();
    const auto turned = transpose(w);
    const auto once = transpose(v);
    r.output(dot(tanh(dot(x, turned)), w)), r.output(dot(dot(x, turned), v));
    r.output(once), r.output(dot(r.input<batch, 9>(), once));  // is also an output
    const auto gone = transpose(tanh(r.parameter<7, 5>()));    // its memory is reused by another product
    r.output(dot(dot(x, dot(dot(r.parameter<5, 3>(), r.parameter<3, 6>()), r.parameter<6, 5>())), gone));
    r.assign(v.variable, (v + v).variable);
    const sigma::detail::Plan plan = sigma::detail::make_plan(program, 4);
    REQUIRE(needless(plan) >= 1);
    const std::vector<sigma::detail::ProductForm> forms = find_product_forms(view_of<double>(plan));
    for (int i = 0; i < plan.kernels.size(); ++i) {  // results in the memory of the source
        const int t = forms[static_cast<std::size_t>(i)].transposition;
        if (t < 0) continue;
        sigma::detail::Plan changed = plan;
        changed.arguments[plan.kernels[i].argument + 2].buffer = plan.arguments[plan.kernels[t].argument].buffer;
        CHECK(find_product_forms(view_of<double>(changed))[static_cast<std::size_t>(i)].transposition == -1);
    }
    for (int way : {0, 1, 2}) {
        on_gpu::HostOptions options;
        options.library_products = way > 0, options.transposed_right = way > 1;
        const auto device = on_gpu::host_backend(options);
        Machine<double> machine(device, view_of<double>(plan));
        Bindings values = random_bindings(program, 6, 5);
        for (int step = 0; step < 3; ++step) {
            machine.bind(values, 6, step > 0);
            machine.prepare();
            const std::uint64_t before = issued(*device);
            machine.run();
            const Interpretation wanted = interpret(program, values, 6);
            CHECK(difference(machine, wanted, 1e-12) == "");
            CHECK(issued(*device) - before == static_cast<std::uint64_t>(machine.program().launches()));
            CHECK(machine.program().launches() == plan.kernels.size() - (way > 1 ? needless(plan) : 0));
            values.parameters = wanted.parameters;
        }
    }
}

TEST_CASE("a program says what is not bound, and that it was not prepared", "[gpu]") {
    const sigma::detail::Program program = iris_step();
    const sigma::detail::Plan plan = sigma::detail::make_plan(program, 4);
    const auto device = one_thread();
    const auto made = device->make_program(view_of<float>(plan));
    CHECK_THROWS_WITH(made->run(), "program of a device: call `prepare` before `run`");
    made->prepare(3);
    CHECK_THROWS_WITH(made->run(), "program of a device: no memory is bound to parameter 2");
}

TEST_CASE("memory that is not to be had leaves a program that can go on", "[gpu]") {
    const sigma::detail::Program program = iris_step();
    const sigma::detail::Plan plan = sigma::detail::make_plan(program, 4);
    on_gpu::HostOptions options;
    options.memory = 1 << 20;
    const auto device = on_gpu::host_backend(options);
    Machine<double> machine(device, view_of<double>(plan));
    const Bindings values = iris_bindings(program, 5);
    machine.bind(values, 5);
    machine.run();
    CHECK_THROWS_AS(machine.program().prepare(1 << 16), DeviceMemoryError);
    machine.bind(values, 5);
    machine.run();
    CHECK(difference(machine, interpret(program, values, 5), 1e-12) == "");
}

TEST_CASE("a step over resident records: gathered, computed, tallied", "[gpu]") {
    const auto device = GENERATE(from_range(with_cuda({many_threads()})));
    constexpr std::size_t columns = 5, all = 20, records = 7;
    std::vector<double> section(columns * all);
    for (std::size_t i = 0; i < section.size(); ++i) section[i] = static_cast<double>(i);
    std::vector<std::uint32_t> positions(all);
    for (std::size_t i = 0; i < all; ++i) positions[i] = static_cast<std::uint32_t>((7 * i + 3) % all);
    const sigma::detail::StepCounters begin{1, 4, 6};
    const double losses[] = {0.5, std::numeric_limits<double>::infinity(), 0.25};
    const sigma::detail::DeviceMemory from(device, section.size() * 8, "a section"),
        order(device, all * 4, "positions"), to(device, columns * records * 8, "a batch"),
        counters(device, sizeof begin, "counters"), tally(device, sizeof(sigma::detail::LossAccumulator), "a tally"),
        loss(device, sizeof losses, "losses");
    device->upload(from.data(), section.data(), section.size() * 8);
    device->upload(order.data(), positions.data(), all * 4);
    device->upload(counters.data(), &begin, sizeof begin);
    device->upload(loss.data(), losses, sizeof losses);
    for (std::size_t i = 0; i < 3; ++i) {
        const std::size_t count = i < 1 ? records : 3, first = i == 0 ? 6 : i == 1 ? 13 : 16;
        const sigma::detail::GatherRecords::Section rows{from.data(), to.data(), columns};
        device->gather({{&rows, 1},
                        order.as<std::uint32_t>(),
                        counters.as<sigma::detail::StepCounters>(),
                        static_cast<std::ptrdiff_t>(count),
                        sigma::detail::ElementType::float64});
        device->accumulate_loss(tally.as<sigma::detail::LossAccumulator>(), counters.as<sigma::detail::StepCounters>(),
                                loss.as<double>() + i, sigma::detail::ElementType::float64,
                                static_cast<std::ptrdiff_t>(count));
        std::vector<double> found(columns * count);
        device->download(found.data(), to.data(), found.size() * 8);
        for (std::size_t j = 0; j < found.size(); ++j)
            CHECK(found[j] == static_cast<double>(positions[first + j / columns] * columns + j % columns));
    }
    sigma::detail::LossAccumulator sum;
    sigma::detail::StepCounters end;
    device->download(&sum, tally.data(), sizeof sum);
    device->download(&end, counters.data(), sizeof end);
    CHECK(sum.records == 13);
    CHECK(std::isinf(sum.total));
    CHECK(sum.first_non_finite == 5);
    CHECK(end.step == 7);
    CHECK(end.first == 19);
    if (const auto* const counts = counting(device)) CHECK(counts->counters().compilations == 1);
}
