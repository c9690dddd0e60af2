// SPDX-License-Identifier: BSL-1.0
// Laws of sessions on every device: arguments and results may be in host memory or in device memory, parameters and
// states stay on the device. The same holds for predictions, evaluations, gradients and functions on arrays.
#include <sigma/device/device_array.hpp>
#include <sigma/device/session.hpp>
#include <sigma/execution/batch_trainer.hpp>
#include <sigma/xtensor.hpp>

#include <catch2/catch.hpp>
#include <gpu/devices.hpp>
#include <gpu/trained.hpp>
#include <support/networks.hpp>

#include <algorithm>
#include <cmath>
#include <thread>

using namespace sigma;
using namespace sigma::test;

namespace {

/// Returns the greatest difference.
double greatest_difference(const auto& a, const auto& b) {
    if (std::size(a) != std::size(b)) return 1e30;
    double most = 0;
    for (auto x = a.begin(), y = b.begin(); x != a.end(); ++x, ++y)
        most = std::max(most, std::abs(static_cast<double>(*x) - static_cast<double>(*y)));
    return most;
}

struct Scaled {
    constexpr sigma::detail::Program operator()() const {
        sigma::detail::Program p;
        Recorder r(p);
        const auto x = r.input<batch, 13>();
        const auto y = r.input<batch, 13>();
        const auto w = r.parameter<13>();
        r.output(x * w + y);
        r.output(sum(x * y));
        r.assign(w.variable, (w * 0.5).variable);
        return p;
    }
};

constexpr int width = 13;

std::vector<float> numbers(std::size_t count, std::uint32_t of) {
    const Philox random(of, RandomUse::initialize, 0);
    std::vector<float> all(count);
    random.fill_normal(std::span(all), 0.0f, 1.0f);
    return all;
}

}  // namespace

#define SIGMA_DEVICES Fused, Interpreted, Debugged, Threadless, Emulated, Cuda

TEMPLATE_TEST_CASE("session law: arguments and results may be here or there", "[gpu]", SIGMA_DEVICES) {
    const sigma::detail::SharedOwner<sigma::detail::ComputeDevice> compute(TestType::open());
    if (!compute) return;
    const Device device(compute);
    const sigma::detail::Program operations = Scaled{}();
    sigma::detail::Session<float> session({on_cpu::compiled_program<PlanOf<Scaled, float>, float, true>, &operations});
    session.run_on(compute);
    const auto pitch = static_cast<std::size_t>(sigma::detail::row_pitch(Shape{width}, session.plan().lanes));
    sigma::detail::DualBuffer<float> parameters({0, pitch});
    if (!compute->shares_host_memory()) parameters.attach(compute, "parameters");
    session.bind_parameters(parameters);
    const std::vector<float> w = numbers(width, 1);
    std::ranges::copy(w, parameters.write(0));

    float scale = 1;
    for (const std::size_t records : {3u, 40u, 7u})
        for (const bool x_there : {true, false})  // with more and more arguments in device memory
            for (const bool result_there : {true, false}) {
                const Array<float> x({records, width}, numbers(records * width, 2)),
                    y({records, width}, numbers(records * width, 3));
                const DeviceArray<float> x_copy(device, x);
                auto here = Array<float>::from_shape({records, width});
                auto there = DeviceArray<float>::from_shape(device, {records, width});
                float total = 0;
                session.bind_input(0, x_there ? x_copy.data() : x.data(), x_there);
                session.bind_input(1, y.data());
                session.bind_output(0, result_there ? there.data() : here.data(), result_there);
                session.bind_output(1, &total);
                session.prepare(static_cast<std::ptrdiff_t>(records));
                session.run();
                if (result_there) here = there.to_host();
                double wanted = 0, worst = 0;
                for (std::size_t i = 0; i < x.size(); ++i) {
                    wanted += double(x.begin()[i]) * double(y.begin()[i]);
                    worst = std::max(worst, std::abs(double(here.begin()[i]) -
                                                     (double(x.begin()[i]) * double(scale) * double(w[i % width]) +
                                                      double(y.begin()[i]))));
                }
                INFO(TestType::name << ", " << records << " records, argument " << (x_there ? "there" : "here")
                                    << ", result " << (result_there ? "there" : "here"));
                CHECK(worst < 1e-6);
                CHECK(std::abs(double(total) - wanted) < 1e-4);
                scale *= 0.5f;  // the program has halved the parameter on the device
            }
    // Repeated work, which devices replay, with changing numbers, and sometimes with other numbers of records.
    const auto array = [] { return Array<float>::from_shape({9, width}); };
    Array<float> x = array(), y = array(), here = array();
    float total = 0;
    session.bind_input(0, x.data());
    session.bind_input(1, y.data());
    session.bind_output(0, here.data());
    session.bind_output(1, &total);
    for (std::uint32_t turn = 0; turn < 8; ++turn) {
        const std::size_t records = turn == 5 ? 4 : 9;
        std::ranges::copy(numbers(x.size(), 10 + turn), x.begin());
        std::ranges::copy(numbers(y.size(), 30 + turn), y.begin());
        session.prepare(static_cast<std::ptrdiff_t>(records));
        session.run();
        double worst = 0;
        for (std::size_t i = 0; i < records * width; ++i)
            worst = std::max(
                worst, std::abs(double(here.begin()[i]) -
                                (double(x.begin()[i]) * double(scale) * double(w[i % width]) + double(y.begin()[i]))));
        INFO(TestType::name << ", turn " << turn);
        CHECK(worst < 1e-6);
        scale *= 0.5f;
    }
    for (int i = 0; i < width; ++i) CHECK(parameters.read(0)[i] == scale * w[static_cast<std::size_t>(i)]);
}

// ---- what users run ----

namespace {

struct OnHostBackend {
    static constexpr double within = 1e-5;
    static Device open() { return Device(on_gpu::host_backend({})); }
};
struct OnEmulatedGpu {
    static constexpr double within = 1e-5;
    static Device open() { return Device(many_threads()); }
};
struct OnTwoThreads {
    static constexpr double within = 1e-7;
    static Device open() { return cpu({.threads = 2}); }
};
struct OnCuda {
    static constexpr double within = 1e-5;
    static Device open() {
        const auto device = cuda_device();
        return device ? Device(device) : Device(cpu());
    }
};

struct Remembers : Network<Input(4, 3) + LSTM(5, {.stateful = true}) + Dense(2) + SquaredDiff()> {};

Array<float> inputs_of(std::size_t records) { return Array<float>({records, 5}, numbers(records * 5, 7)); }

}  // namespace

#define SIGMA_PLACES OnTwoThreads, OnHostBackend, OnEmulatedGpu, OnCuda

TEMPLATE_TEST_CASE("session law: predictions are those of the processor, wherever arrays and parameters are", "[gpu]",
                   SIGMA_PLACES) {
    const Device device = TestType::open();
    const double within = TestType::within;
    Model<trained::Small> model(3);
    const Array<float> x = inputs_of(300);
    const Array<float> here = model.predict(x);
    const DeviceArray<float> there(device, x);
    CHECK(greatest_difference(model.predict(device, x), here) < within);
    CHECK(greatest_difference(model.predict(there).to_host(), here) < within);

    model.to(device);
    CHECK(greatest_difference(model.predict(x), here) < within);
    const DeviceArray<float> result = model.predict(there);
    CHECK(result.device() == device);
    CHECK(greatest_difference(result.to_host(), here) < within);
    // Changes on the host are visible on the device; a copy belongs to the processor.
    model.template parameter<"3-dense.biases">()(0) += 1;
    Model<trained::Small> copy(model);
    CHECK(greatest_difference(model.predict(there).to_host(), copy.predict(x)) < within);
    CHECK(greatest_difference(copy.predict(x), here) > 0.01);

    model.to(cpu());
    CHECK(greatest_difference(model.predict(x), copy.predict(x)) == 0);
    CHECK(model == copy);
    CHECK_THROWS_AS(model.predict(DeviceArray<float>(device, Array<float>::from_shape({3, 4}))), ShapeError);
}

TEMPLATE_TEST_CASE("session law: evaluations, gradients and steps of a model that is there", "[gpu]", SIGMA_PLACES) {
    const Device device = TestType::open();
    const double within = TestType::within;
    Model<trained::Small> model(3), twin(3);
    model.to(device);
    const Dataset data = trained::points(70);
    CHECK(std::abs(model.evaluate(data).error - twin.evaluate(data).error) < within);
    CHECK(model.evaluate(device, data).accuracy == twin.evaluate(data).accuracy);

    BatchTrainer there(model, Adam{}), here(twin, Adam{});
    const auto train = [&](std::uint64_t epoch) {
        for (const Batch& batch : epoch_of(trained::batches_of(), epoch))
            CHECK(std::abs(there.train_on_batch(batch) - here.train_on_batch(batch)) < within);
        CHECK(greatest_difference(trained::parameters_of(model), trained::parameters_of(twin)) < 10 * within);
    };
    train(0);
    model.to(cpu());  // also gets the optimizer's states
    train(1);
    model.to(device);
    train(2);
}

TEMPLATE_TEST_CASE("session law: a network that remembers goes on with arrays there", "[gpu]", SIGMA_PLACES) {
    const Device device = TestType::open();
    const Model<Remembers> here(5);
    Model<Remembers> there(5);
    const Array<float> x({6, 4, 3}, numbers(72, 4));
    there.to(device);
    for (int k = 0; k < 3; ++k)
        CHECK(greatest_difference(there.predict(DeviceArray<float>(device, x)).to_host(), here.predict(x)) <
              TestType::within);
}

TEMPLATE_TEST_CASE("session law: functions on arrays and their gradients", "[gpu]", SIGMA_PLACES) {
    const Device device = TestType::open();
    const double within = TestType::within;
    const auto f =
        evaluate([](auto x, auto w, auto s) { return std::tuple{tanh(sigma::dot(x, w)) * s, sum(square(x))}; });
    const auto loss = [](auto x, auto w, auto s) { return sum(square(tanh(sigma::dot(x, w)))) * s; };
    const xt::xtensor<float, 2> x = xt::adapt(numbers(70 * 9, 1), {70, 9}), w = xt::adapt(numbers(9 * 4, 2), {9, 4});
    const auto on = f.on(device);
    const auto [y, squares] = f(shaped<batch, 9>(x), shaped<9, 4>(w), 0.5f);
    const auto [y_of, squares_of] =
        on(shaped<batch, 9>(x), shaped<9, 4>(w), 0.5f);  // arguments and results in host memory
    CHECK(greatest_difference(y_of, y) < within);
    CHECK(std::abs(squares_of - squares) < 100 * within);

    const DeviceArray<float> x_there(device, x), w_there(device, w);
    for (int again = 0; again < 2; ++again) {
        const auto [there, number] =
            on(shaped<batch, 9>(x_there), shaped<9, 4>(w), 0.5f);  // one argument is in host memory
        static_assert(std::is_same_v<std::remove_cvref_t<decltype(there)>, DeviceArray<float>>);
        static_assert(std::is_same_v<std::remove_cvref_t<decltype(number)>, float>);
        CHECK(there.shape() == std::vector<std::size_t>{70, 4});
        CHECK(greatest_difference(there.to_host(), y) < within);
        CHECK(std::abs(number - squares) < 100 * within);
    }
    auto kept = DeviceArray<float>::from_shape(device, {1, 1});  // grows as necessary
    float number = 0;
    on.into(kept, number)(shaped<batch, 9>(x_there), shaped<9, 4>(w_there), 0.5f);
    CHECK(greatest_difference(kept.to_host(), y) < within);
    // Functions with extents from the arrays, and functions with captures.
    const float factor = 0.5f;
    const auto captured =
        evaluate([factor](auto a, auto b) { return std::tuple{tanh(sigma::dot(a, b)) * factor, sum(square(a))}; });
    const auto traced = captured.on(device);
    for (int again = 0; again < 2; ++again) {
        const auto [here, sum_here] = traced(x, w);
        CHECK(greatest_difference(xt::xtensor<float, 2>(here), y) < within);
        CHECK(std::abs(sum_here() - squares) < 100 * within);
        const auto [there, sum_there] = traced(x_there, w);
        static_assert(std::is_same_v<std::remove_cvref_t<decltype(there)>, DeviceArray<float>>);
        CHECK(greatest_difference(there.to_host(), y) < within);
        CHECK(std::abs(sum_there.to_host()() - squares) < 100 * within);
    }
    auto into = DeviceArray<float>::from_shape(device, {1, 1});
    traced.into(into, number)(x_there, w_there);
    CHECK(greatest_difference(into.to_host(), y) < within);
    CHECK(std::abs(number - squares) < 100 * within);
    const auto [as_they_come, other_number] = on(x, w, 0.5f);
    CHECK(greatest_difference(xt::xtensor<float, 2>(as_they_come), y) < within);
    const auto [of_traced, slope_traced] = value_and_gradient(loss, wrt<1>).on(device)(x_there, w_there, 0.5f);
    const auto [of_known, slope_known] = value_and_gradient(loss, wrt<1>)(shaped<batch, 9>(x), shaped<9, 4>(w), 0.5f);
    CHECK(std::abs(of_traced - of_known) < 100 * within);
    CHECK(greatest_difference(slope_traced.to_host(), slope_known) < 100 * within);
    // A function uses results of another function in device memory.
    const auto twice = evaluate([](auto a) { return a + a; }).on(device);
    const xt::xtensor<float, 2> doubled = twice(shaped<batch, 4>(kept)).to_host();
    CHECK(greatest_difference(doubled, xt::xtensor<float, 2>(2.0f * y)) < 2 * within);

    const auto slope = gradient(loss, wrt<1>);
    const auto slope_there = slope.on(device)(shaped<batch, 9>(x_there), shaped<9, 4>(w_there), 0.5f);
    CHECK(greatest_difference(slope_there.to_host(), slope(shaped<batch, 9>(x), shaped<9, 4>(w), 0.5f)) < 100 * within);
    CHECK_THROWS_AS(on(shaped<batch, 8>(x_there), shaped<8, 4>(w_there), 0.5f), ShapeError);
    CHECK_THROWS_AS(twice.into(kept)(shaped<batch, 4>(kept)), ArgumentError);
}

TEST_CASE("arrays in the memory of a device are copied, assigned and told apart") {
    const Device device = OnHostBackend::open(), other = OnHostBackend::open();
    const Array<float> first{{1, 2}, {3, 4}}, second{{5, 6}, {7, 8}};
    DeviceArray<float> x(device, first);
    DeviceArray<float> y = x;
    x = second;
    CHECK(x.to_host() == second);
    CHECK(y.to_host() == first);
    y = x;
    CHECK(y.to_host() == second);
    CHECK_THROWS_AS((x = Array<float>{1, 2}), ShapeError);
    const DeviceArray<float> none(device, Array<float>::from_shape({0, 5}));
    CHECK(none.to_host().size() == 0);
    CHECK(DeviceArray(cpu(), first).to_host() == first);

    const auto f = evaluate([](auto a, auto b) { return a * b; });
    CHECK_THROWS_AS(f.on(device)(shaped<batch, 2>(x), shaped<batch, 2>(DeviceArray(other, first))), ArgumentError);
    CHECK_THROWS_AS(f.on(cpu())(shaped<batch, 2>(x), shaped<batch, 2>(x)), ArgumentError);
    Model<trained::Small> model(3);
    model.to(other);
    const DeviceArray<float> there(device, inputs_of(3));
    CHECK_THROWS_AS(model.predict(there), ArgumentError);
}

TEST_CASE("a model that a run trains is not given away; a run takes one that is there") {
    const Device device = OnHostBackend::open();
    Trainer trainer("small", trained::Small{}, Adam{}, trained::batches_of()),
        twin("small", trained::Small{}, Adam{}, trained::batches_of());
    trainer.model().to(device);
    trainer.run(cpu(), 1);
    twin.run(cpu(), 1);
    CHECK(trained::parameters_of(trainer.model()) == trained::parameters_of(twin.model()));
    trainer.model().to(device);
    trainer.run(device, 1);
    twin.run(device, 1);
    CHECK(trained::parameters_of(trainer.model()) == trained::parameters_of(twin.model()));
    // Parameters that another trainer has changed on the device are kept when a run begins.
    for (auto* each : {&trainer, &twin}) {
        each->model().to(device);
        BatchTrainer other(each->model(), GradientDescent{.learning_rate = 0.5});
        for (const Batch& batch : epoch_of(trained::batches_of(), 7)) other.train_on_batch(batch);
    }
    twin.model().to(cpu());
    trainer.run(device, 1);
    twin.run(device, 1);
    CHECK(trained::parameters_of(trainer.model()) == trained::parameters_of(twin.model()));
    bool refused = false;
    trainer.on_iteration([&](auto& t) {
        try {
            t.model().to(device);
        } catch (const MismatchError&) { refused = true; }
        t.stop();
    });
    trainer.run(cpu(), 1);
    CHECK(refused);
}

TEST_CASE("threads call one function on a device after the other") {
    const auto f = evaluate([](auto a) { return a * a + 1.0; }).on(OnEmulatedGpu::open());
    const xt::xtensor<float, 1> x = xt::adapt(numbers(500, 1), {500});
    const auto wanted = f(x);
    std::vector<std::thread> threads;
    std::vector<xt::xtensor<float, 1>> found(4);
    for (auto& of : found)
        threads.emplace_back([&] {
            for (int k = 0; k < 5; ++k) of = f(x);
        });
    for (auto& t : threads) t.join();
    for (const auto& of : found) CHECK(greatest_difference(of, wanted) == 0);
}
