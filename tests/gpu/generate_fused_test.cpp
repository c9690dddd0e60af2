// SPDX-License-Identifier: BSL-1.0
#include <sigma/plan/print.hpp>

#include "gpu/devices.hpp"
#include "gpu/single_kernels.hpp"
#include "support/effort.hpp"
#include "support/networks.hpp"
#include "support/random_program.hpp"
#include "support/special_points.hpp"

#include <catch2/catch.hpp>

using namespace sigma;
using namespace sigma::test;

namespace {

on_gpu::HostOptions device_of(int threads, int lanes, on_gpu::HostOrder order, long long most_blocks) {
    on_gpu::HostOptions options;
    options.threads = threads;
    options.lanes = lanes;
    options.order = order;
    options.most_blocks = most_blocks;
    return options;
}
const on_gpu::HostOptions plain = device_of(1, 1, on_gpu::HostOrder::forward, 16);
const on_gpu::HostOptions crowded = device_of(96, 32, on_gpu::HostOrder::backward, 7);
const on_gpu::HostOptions narrow = device_of(6, 2, on_gpu::HostOrder::forward, 1000);

/// Plans for vectors of 32 bytes.
template <class T>
void add(SingleKernels& kernels, const std::string& title, const sigma::detail::Program& program) {
    kernels.add(title, sigma::detail::make_plan(program, static_cast<int>(32 / sizeof(T))),
                sigma::detail::element_type<T>);
}
std::string run(on_gpu::Backend& device, on_gpu::Module& module, const SingleKernels::Entry& e, long long records,
                unsigned seed, bool special, int misplaced = 0) {
    const Bindings values = any_values(e.plan, records, seed, special);
    if (e.element == sigma::detail::ElementType::float32)
        return KernelRun<float>(device, module, e, records).compare(values, 2e-5, misplaced);
    return KernelRun<double>(device, module, e, records).compare(values, 1e-10, misplaced);
}
void check_all(const SingleKernels& kernels, const std::vector<long long>& records, bool special = false) {
    REQUIRE(!kernels.entries.empty());
    for (const auto& device :
         with_cuda({on_gpu::host_backend(plain), on_gpu::host_backend(crowded), on_gpu::host_backend(narrow)})) {
        const auto module = device->compile(kernels.text);
        unsigned seed = 1;
        for (const auto& e : kernels.entries)
            for (long long n : records) {
                const bool many = sigma::detail::resolve(e.generated.rows, n) >= on_gpu::GeneratedKernel::many_rows;
                if (e.generated.rows != 0 && many != e.other) continue;
                const std::string wrong = run(*device, *module, e, n, ++seed, special, n == 5 ? 1 : 0);
                if (wrong.empty()) continue;
                INFO(to_text(e.plan));
                for (const auto& g : e.generated.launches) UNSCOPED_INFO(g.text.substr(g.text.find("struct @_words")));
                CHECK(wrong == "");
                return;
            }
    }
}
/// Returns the kernels with a number of launches.
int kernels_of(const SingleKernels& kernels, std::size_t launches) {
    int n = 0;
    for (const auto& e : kernels.entries) n += e.generated.launches.size() == launches;
    return n;
}
template <class F>
void add_both(SingleKernels& kernels, const std::string& title, F f) {
    sigma::detail::Program p;
    Recorder r(p);
    f(r);
    for (const bool sequential : {false, true}) {
        p.sequential = sequential;
        add<float>(kernels, title, p);
        add<double>(kernels, title, p);
    }
}

}  // namespace

TEST_CASE("generated maps: every function, also of what is no number", "[gpu]") {
    SingleKernels kernels;
    add_both(kernels, "functions", [](Recorder& r) {
        const auto x = r.input<batch, 7>(), y = r.input<batch, 7>();
        r.output(exp(x) + expm1(y));
        r.output(log(x));
        r.output(log1p(x));
        r.output(sqrt(x));
        r.output(rsqrt(x));
        r.output(tanh(x));
        r.output(sigmoid(x));
        r.output(tan(x));
        r.output(asin(x));
        r.output(acos(x));
        r.output(atan(x));
        r.output(erf(x));
        r.output(floor(x) + round(y));
        r.output(mod(x, y));
        r.output(abs(x) / y);
        r.output(sign(x));
        r.output(pow(x, y));
        r.output(max(x, y));
        r.output(min(x, y));
        r.output(max(x, 0.0));
        r.output(max(1.0, x));
        r.output(min(x, 0.3));
        r.output(where(x < y, x, 3.0));
        r.output(where(x, y, -y));
        r.output((x <= 0.0) - equal(x, y));
    });
    add_both(kernels, "circles", [](Recorder& r) {
        const auto x = r.input<batch, 8>();
        r.output(sin(x) - cos(x));
        r.output(x * 0.1 + 1e-30);
    });
    check_all(kernels, {1, 5, 6}, true);
}

TEST_CASE("generated maps: broadcast in all directions, in place, of no axes", "[gpu]") {
    SingleKernels kernels;
    add_both(kernels, "broadcast", [](Recorder& r) {
        const auto x = r.input<batch, 3, 1, 8>();
        const auto y = r.input<5, 1>();
        const auto z = r.input<8>();
        const auto s = r.input<>();
        r.output(x * y + z * s);
        r.output(r.input<3, 1>() + r.input<1, 7>());
        r.output(s * s - 1.0);
    });
    add_both(kernels, "descent", [](Recorder& r) {
        const auto w = r.parameter<6, 10>(), v = r.state<6, 10>(), g = r.input<6, 10>();
        const auto rate = r.input<>();
        const auto next = 0.9 * v + g;
        r.assign(v.variable, next.variable);
        r.assign(w.variable, (w - rate * next).variable);
    });
    check_all(kernels, {1, 5, 70});
}

TEST_CASE("generated rows: short, long, of several loops", "[gpu]") {
    SingleKernels kernels;
    add_both(kernels, "softmax of 10", [](Recorder& r) { r.output(log_softmax(r.input<batch, 10>())); });
    add_both(kernels, "softmax of 37", [](Recorder& r) { r.output(softmax(tanh(r.input<batch, 37>()))); });
    add_both(kernels, "softmax of 64, by an axis in the middle", [](Recorder& r) {
        const auto x = r.input<batch, 3, 64>();
        r.output(softmax(x));
        r.output(max(x * x, axis(-1)) - min(x, axis(-1)));
    });
    add_both(kernels, "softmax of 2001", [](Recorder& r) { r.output(softmax(r.input<batch, 2001>())); });
    add_both(kernels, "layer normalization", [](Recorder& r) {
        const auto x = tanh(dot(r.input<batch, 4, 5>(), r.parameter<5, 6>()));
        const auto centred = x - mean(x, axes(1, 2), keep);
        r.output(centred * rsqrt(mean(centred * centred, axes(1, 2), keep) + 1e-5) * r.parameter<6>());
        r.output(sum(x, axes(1, 2)));
    });
    add_both(kernels, "padded rows", [](Recorder& r) {
        const auto x = dot(r.input<batch, 5>(), r.parameter<5, 13>());
        const auto y = dot(r.input<batch, 4, 5>(), r.parameter<5, 6>());
        r.output(dot(softmax(x), r.parameter<13, 3>()));
        r.output(min(y, axes(1, 2)));
    });
    add_both(kernels, "a value of each row, in place", [](Recorder& r) {
        const auto x = r.input<5, 37>();
        const auto y = r.input<5, 2000>();
        const auto s = r.state<5>(), v = r.state<5>();
        r.assign(s.variable, (0.9 * s + 0.1 * mean(x, axis(-1))).variable);
        r.assign(v.variable, (v * max(y, axis(-1))).variable);
        r.output(x * 2.0);
    });
    add_both(kernels, "cross-entropy", [](Recorder& r) {
        const auto x = r.input<batch, 13>();
        const auto probabilities = log_softmax(x);
        r.output(-mean(sum(r.input<batch, 13>() * probabilities, axis(-1))));
    });
    int masked = 0;
    for (const auto& e : kernels.entries)
        masked += e.plan.kernels[0].fused.tail == sigma::detail::FusedKernel::Tail::padded;
    CHECK(masked >= 4);
    check_all(kernels, {1, 5, 37});
}

TEST_CASE("generated rows: one row, by one block and by many", "[gpu]") {
    SingleKernels kernels;
    add_both(kernels, "one row", [](Recorder& r) {
        const auto x = r.input<100>();
        r.output(softmax(x));
        r.output(sum(x));
    });
    add_both(kernels, "long row", [](Recorder& r) {
        const auto x = r.input<20011>();
        const auto centred = x - mean(x);
        r.output(centred * rsqrt(mean(centred * centred)));
        r.output(max(x));
    });
    add_both(kernels, "all records", [](Recorder& r) {
        const auto x = r.input<batch, 3, 7>();
        const auto w = r.input<7>();
        r.output(mean(x * x * w));
        r.output(min(x) + sum(x));
        const auto s = r.state<>();
        r.assign(s.variable, (0.9 * s + 0.1 * mean(x)).variable);
    });
    add_both(kernels, "few of each record", [](Recorder& r) { r.output(mean(r.input<batch>())); });
    CHECK(kernels_of(kernels, 1) > 0);
    CHECK(kernels_of(kernels, 2) > 0);
    CHECK(kernels_of(kernels, 4) > 0);
    check_all(kernels, {1, 5, 1777});
}

TEST_CASE("rows that several sweeps need are loaded once, and what they leave to each other is not stored") {
    const auto count = [](const std::string& text, const std::string& what) {
        int n = 0;
        for (std::size_t at = 0; (at = text.find(what, at)) != std::string::npos; ++at) ++n;
        return n;
    };
    const auto examine = [&](auto x_of, bool kept) {
        sigma::detail::Program p;
        Recorder r(p);
        r.output(softmax(x_of(r)));
        const sigma::detail::Plan plan = sigma::detail::make_plan(p, 8);
        REQUIRE(plan.kernels.size() == 1);
        const std::string text = on_gpu::generate_rows(view_of<float>(plan), plan.kernels[0]).launches[0].text;
        INFO(to_text(plan) << text.substr(text.find("struct @_words")));
        CHECK((count(text, "sigma_load_vector<V>(") == 1) == kept);
        CHECK((count(text, "sigma_store_vector<V>(") == 1) == kept);
    };
    examine([](Recorder& r) { return r.input<batch, 64>(); }, true);
    examine([](Recorder& r) { return r.input<batch, 1000>(); }, true);
    examine([](Recorder& r) { return r.input<batch, 2001>(); }, true);
    examine([](Recorder& r) { return r.input<batch, 16000>(); }, true);
    examine([](Recorder& r) { return r.input<batch, 70000>(); }, false);  // too long for registers
}

TEST_CASE("generated columns: narrow, wide, long and in several loops", "[gpu]") {
    SingleKernels kernels;
    add_both(kernels, "batch normalization", [](Recorder& r) {
        const auto x = r.input<batch, 40>();
        const auto average = mean(x, axis(0));
        const auto s = r.state<40>();
        r.assign(s.variable, (0.9 * s + 0.1 * average).variable);
        const auto centred = x - average;
        r.output(centred * rsqrt(mean(centred * centred, axis(0)) + 1e-5));
    });
    add_both(kernels, "of images", [](Recorder& r) {
        const auto x = r.input<batch, 5, 3, 6>();
        r.output(sum(x * r.input<5, 1, 6>(), axes(0, 1, 2)) * 2.0);
        r.output(max(x, axis(1)) + 1.0);
        r.output(sum(x, axes(1, 2)));
        r.output(sum(x, axis(0)));
    });
    add_both(kernels, "few columns", [](Recorder& r) {
        const auto x = r.input<5003, 3>();
        r.output(exp(mean(x, axis(0))) + min(x, axis(0)));
    });
    add_both(kernels, "short reductions", [](Recorder& r) {
        r.output(sum(r.input<batch, 7, 10>(), axis(1)));
        r.output(max(r.input<3, 4, 11>(), axes(0, 1)) + r.input<11>());
    });
    add_both(kernels, "middle axis", [](Recorder& r) { r.output(sum(r.input<3, 300, 70>(), axis(1))); });
    CHECK(kernels_of(kernels, 1) > 0);
    CHECK(kernels_of(kernels, 2) > 0);
    check_all(kernels, {1, 5, 333, 1100});
}

TEST_CASE("generated kernels of random programs", "[gpu]") {
    constexpr unsigned first = 1, last = effort(40);
    SingleKernels kernels;
    for (unsigned seed = first; seed <= last; ++seed) {
        const RandomProgram random(seed);
        sigma::detail::Program program = random.program();
        program.sequential = seed % 3 == 0;
        add<double>(kernels, sentence("seed ", seed), program);
    }
    CHECK(kernels.entries.size() > 3 * last);
    check_all(kernels, {1, 5, 12});
}

TEMPLATE_TEST_CASE("generated functions and their slopes at zeros, infinities, NaN, tiny and huge numbers", "[gpu]",
                   float, double) {
    using T = TestType;
    const std::vector<T> points = special_points<T>();
    const auto examine = [&]<int part>(std::integral_constant<int, part>) {
        const sigma::detail::Plan plan =
            sigma::detail::make_plan(sigma::detail::FunctionProgram<SpecialFunctions<part>, Shape(batch)>{}(), 4);
        for (const auto& device : all_devices()) {
            Machine<T> machine(device, view_of<T>(plan));
            machine.bind({{Values(points.begin(), points.end())}, {}, {}, {}}, static_cast<long long>(points.size()));
            machine.run();
            std::vector<std::vector<T>> found;
            for (const Values& v : machine.outputs()) found.emplace_back(v.begin(), v.end());
            CHECK(special_difference<part>(points, found) == "");
        }
    };
    [&]<int... part>(std::integer_sequence<int, part...>) {
        (examine(std::integral_constant<int, part>{}), ...);
    }(std::make_integer_sequence<int, special_parts>{});
}
