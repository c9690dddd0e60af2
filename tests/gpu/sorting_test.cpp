// SPDX-License-Identifier: BSL-1.0
// Sorts of a device, and programs that sort, which are bit-identical to programs that do not.
#include <sigma/tape/along_axis.hpp>
#include <sigma/tape/convolution.hpp>

#include "devices.hpp"
#include "support/networks.hpp"

#include <catch2/catch.hpp>

#include <cmath>
#include <limits>
#include <numeric>
#include <random>

using namespace sigma;
using namespace sigma::test;
using on_gpu::algorithms::Pairs;
using on_gpu::algorithms::sort_bytes;

namespace {

/// A table that is read and trained, with many ids for the same rows.
struct Table {
    constexpr sigma::detail::Program operator()() const {
        sigma::detail::Program p;
        Recorder r(p);
        const auto table = r.parameter<8, 5>();
        const auto ids = r.input<batch, 3>();
        r.descend(mean(square(gather(table, ids))), r.input<>());
        return p;
    }
};
struct WideRows {
    constexpr sigma::detail::Program operator()() const {
        sigma::detail::Program p;
        Recorder r(p);
        const auto x = r.input<batch, 2, 301>();
        const auto y = r.parameter<7, 3>();
        const auto z = r.parameter<11>();
        const auto ids = r.input<batch, 2, 40>();
        r.output(argsort(x));
        r.output(argsort(x, SortOrder::descending));
        r.output(top_k(x, 5).values);
        r.output(argsort(y, axis(0)));
        r.output(argsort(z, SortOrder::descending));
        const auto chosen = gather(x, ids, axis(-1));
        const auto sorted = sort(z * z);
        r.output(chosen);
        r.descend(sum(sorted * sorted) + mean(sort(y)) + sum(gather(z, top_k(z, 3).indices, axis(-1))), r.input<>());
        return p;
    }
};

on_gpu::HostOptions with(bool sorts, on_gpu::HostOrder order = on_gpu::HostOrder::forward) {
    on_gpu::HostOptions options;
    options.sorts = sorts;
    options.order = order;
    if (order == on_gpu::HostOrder::backward) options.threads = 64, options.lanes = 32;
    return options;
}

/// Returns numbers with ties, and some NaN.
template <class Make>
Bindings odd_bindings(long long records, unsigned seed) {
    Bindings all = random_bindings(Make{}(), records, seed);
    const double odd[] = {0.0, -0.0, HUGE_VAL, -HUGE_VAL, std::nan(""), -std::nan(""), 1e30};
    std::mt19937 random(seed);
    for (Values& v : all.inputs)
        for (double& x : v) x = v.size() > 1 && random() % 8 == 0 ? odd[random() % 7] : std::round(x * 20);
    return all;
}

/// Returns the bits of outputs and parameters of a program after a run and a replay.
template <class T>
std::vector<Values> left_by(const std::shared_ptr<on_gpu::HostBackend>& device, const sigma::detail::PlanView& plan,
                            const Bindings& values, long long records) {
    Machine<T> machine(device, plan);
    machine.bind(values, records);
    machine.run();
    const auto issued = [&] {
        const on_gpu::HostCounters& c = device->counters();
        return c.launches + c.products + c.sorts;
    };
    const auto replay = machine.capture();
    const std::uint64_t before = issued();
    replay->run();
    CHECK(issued() - before == static_cast<std::uint64_t>(machine.program().launches()));
    std::vector<Values> all = machine.outputs();
    for (Values& v : machine.parameters()) all.push_back(std::move(v));
    return all;
}
bool same_bits(const std::vector<Values>& one, const std::vector<Values>& other) {
    const auto alike = [](double x, double y) {
        return (x == y && std::signbit(x) == std::signbit(y)) || (std::isnan(x) && std::isnan(y));
    };
    return std::equal(one.begin(), one.end(), other.begin(), other.end(), [&](const Values& a, const Values& b) {
        return std::equal(a.begin(), a.end(), b.begin(), b.end(), alike);
    });
}

template <class Make, class T>
void check_bits() {
    const sigma::detail::Plan plan = sigma::detail::make_plan(Make{}(), static_cast<int>(32 / sizeof(T)));
    for (const long long records : {1, 9, 70}) {
        INFO(records << " records of " << name(sigma::detail::element_type<T>));
        const Bindings values = odd_bindings<Make>(records, static_cast<unsigned>(records));
        const auto without = left_by<T>(on_gpu::host_backend(with(false)), view_of<T>(plan), values, records);
        for (const auto order : {on_gpu::HostOrder::forward, on_gpu::HostOrder::backward}) {
            const auto device = on_gpu::host_backend(with(true, order));
            CHECK(same_bits(left_by<T>(device, view_of<T>(plan), values, records), without));
            CHECK(device->counters().sorts > 0);
        }
    }
}

}  // namespace

TEST_CASE("a device sorts pairs in the order of its work, in replays too", "[gpu]") {
    for (const auto& device : with_cuda({one_thread()})) {
        if (!device->sort_pays(1, 0)) continue;
        for (const std::size_t count : {1u, 2000u, 300'000u}) {
            INFO(device->name() << ", " << count << " pairs");
            std::mt19937 random(static_cast<unsigned>(count));
            std::vector<std::uint32_t> keys(count);
            for (std::uint32_t& key : keys) key = static_cast<std::uint32_t>(random() % 1000 << 20);
            std::vector<std::int32_t> values(count), order(count), found(count);
            std::iota(values.begin(), values.end(), 0);
            order = values;
            std::stable_sort(order.begin(), order.end(), [&](std::int32_t i, std::int32_t j) {
                return keys[static_cast<std::size_t>(i)] < keys[static_cast<std::size_t>(j)];
            });
            const sigma::detail::SharedOwner<sigma::detail::ComputeDevice> owner = device;
            const std::size_t bytes = count * 4, between = sort_bytes(static_cast<long long>(count));
            const sigma::detail::DeviceMemory from(owner, 2 * bytes, "a test"), to(owner, 2 * bytes, "a test"),
                memory(owner, between, "a test");
            device->upload(from.data(), keys.data(), bytes);
            device->upload(from.as<char>() + bytes, values.data(), bytes);
            const auto work = [&] {
                device->copy(to.data(), from.data(), 2 * bytes);
                device->sort({to.as<std::uint32_t>(), to.as<std::int32_t>() + count, static_cast<long long>(count),
                              memory.data(), between});
            };
            work();
            device->download(found.data(), to.as<char>() + bytes, bytes);
            CHECK(found == order);
            const auto replay = device->capture(work);
            device->clear(to.data(), 2 * bytes);
            for (int i = 0; i < 2; ++i) replay->run();
            device->download(found.data(), to.as<char>() + bytes, bytes);
            CHECK(found == order);
        }
    }
}

TEST_CASE("host backend: a sort of what is not the device's, or without its memory, is an error", "[gpu]") {
    const auto device = one_thread();
    const sigma::detail::SharedOwner<sigma::detail::ComputeDevice> owner = device;
    const std::size_t between = sort_bytes(100);
    const sigma::detail::DeviceMemory keys(owner, 400, "a test"), values(owner, 400, "a test"),
        memory(owner, between, "a test");
    const Pairs pairs{keys.as<std::uint32_t>(), values.as<std::int32_t>(), 100, memory.data(), between};
    device->sort(pairs);
    CHECK(device->counters().sorts == 1);
    std::uint32_t outside[100];
    for (int wrong = 0; wrong < 4; ++wrong) {
        Pairs bad = pairs;
        if (wrong == 0) bad.keys = outside;
        if (wrong == 1) bad.count = 101;
        if (wrong == 2) bad.bytes = between + 1;
        if (wrong == 3) bad.bytes = 100;
        CHECK_THROWS_AS(device->sort(bad), DeviceError);
    }
    CHECK(device->counters().sorts == 1);
}

TEST_CASE("sums into a table by sorting have the bits of those without", "[gpu]") {
    check_bits<Table, float>();
    check_bits<Table, double>();
}

TEST_CASE("rows in order by sorting all have the bits of those by a thread for each", "[gpu]") {
    check_bits<WideRows, float>();
    check_bits<WideRows, double>();
}

TEST_CASE("memory for sorts is part of the arena, and asked for where they pay", "[gpu]") {
    const sigma::detail::Plan plan = sigma::detail::make_plan(Table{}(), 8);
    const auto bytes = [&](bool sorts, long long records) {
        return on_gpu::host_backend(with(sorts))->make_program(view_of<float>(plan))->arena_bytes(records);
    };
    const std::size_t ids = 3 * 1024;
    CHECK(bytes(true, 1024) - bytes(false, 1024) + ids * 4 >= 8 * ids + sort_bytes(3 * 1024));
    CHECK(bytes(true, 1) > sort_bytes(3));
    CHECK(bytes(false, 1) < sort_bytes(3));
}

TEST_CASE("the first few of very many rows are looked for by a thread for each", "[gpu]") {
    constexpr auto first = [] {
        sigma::detail::Program p;
        Recorder r(p);
        r.output(top_k(r.input<batch, 16>(), 2).indices);
        return p;
    };
    const sigma::detail::Plan plan = sigma::detail::make_plan(first(), 8);
    const auto device = on_gpu::host_backend(with(true));
    Machine<float> machine(device, view_of<float>(plan));
    for (const long long records : {16385, 16384}) {
        const Bindings values = random_bindings(first(), records, 4);
        machine.bind(values, records);
        machine.run();
        CHECK(difference(machine, interpret(first(), values, records), 0) == "");
        CHECK((device->counters().sorts > 0) == (records == 16384));
    }
}
