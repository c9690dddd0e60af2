// SPDX-License-Identifier: BSL-1.0
#include <gpu/host/host_backend.hpp>

#include "host_memory.hpp"

#include <catch2/catch.hpp>
#include <support/thrown.hpp>

#include <algorithm>
#include <cstdint>
#include <cstdlib>
#include <string>
#include <utility>
#include <vector>

using namespace sigma;
using namespace sigma::test;
using Catch::Matchers::Contains;
using on_gpu::HostOptions;
using on_gpu::HostOrder;

namespace {

HostOptions emulated(int threads, int lanes, HostOrder order = HostOrder::forward) {
    HostOptions options;
    options.threads = threads;
    options.lanes = lanes;
    options.order = order;
    return options;
}

/// Returns the elements after a kernel with the words above and this body has run on `values`.
std::vector<float> left_by(HostBackend& device, const std::string& body, const std::vector<float>& values, int threads,
                           long long blocks = 1) {
    const auto module = device.compile(sentence(words, "SIGMA_KERNEL(k, 256, k_words) {\n", body, "}\n"));
    const float* const from = uploaded(device, values);
    float* const to = fresh<float>(device, values.size());
    const std::uint64_t list[] = {word(from), word(to), values.size()};
    device.launch({module->function("k"), blocks, threads, list, "k"});
    return downloaded(device, to, values.size());
}

}  // namespace

TEST_CASE("host backend: memory is zeroed and aligned, and what goes up comes down", "[gpu]") {
    HostBackend device;
    const auto values = counted(1001);
    for (const std::size_t bytes : {1, 255, 256, 257, 4004}) {
        void* const data = device.allocate(bytes, "a test");
        CHECK(word(data) % 256 == 0);
        CHECK(downloaded(device, static_cast<const char*>(data), bytes) == std::vector<char>(bytes, 0));
        device.clear(data, bytes);
        device.release(data);
    }
    float* const one = uploaded(device, values);
    float* const other = fresh<float>(device, values.size());
    device.copy(other + 1, one, 1000 * sizeof(float));
    device.clear(one, 4);
    const auto copied = downloaded(device, other, values.size());
    CHECK(copied[0] == 0);
    CHECK(std::equal(copied.begin() + 1, copied.end(), values.begin()));
    CHECK(downloaded(device, one, 2) == std::vector<float>{0, 2});
    CHECK(device.counters().copies == 1);
    CHECK(device.counters().clears == 6);
    CHECK(device.counters().bytes_up == 4004);
    void* const nothing = device.allocate(0, "nothing");
    CHECK(nothing != nullptr);
    device.release(nothing);
    CHECK(device.counters().unknown_releases == 0);
    device.upload(nullptr, nullptr, 0);
}

TEST_CASE("host backend: addresses that are not the device's are found", "[gpu]") {
    HostBackend device;
    float* const data = fresh<float>(device, 10);
    float outside[10] = {};
    CHECK_THROWS_AS(device.upload(outside, outside, 4), DeviceError);
    CHECK_THROWS_AS(device.upload(data + 9, outside, 8), DeviceError);
    CHECK_THROWS_AS(device.upload(data - 1, outside, 4), DeviceError);
    CHECK_THROWS_AS(device.download(outside, outside + 1, 4), DeviceError);
    CHECK_THROWS_AS(device.copy(data, outside, 4), DeviceError);
    CHECK_THROWS_AS(device.copy(outside, data, 4), DeviceError);
    CHECK_THROWS_AS(device.clear(data + 1, 40), DeviceError);
    device.upload(data + 9, outside, 4);
    device.release(outside);
    CHECK(device.counters().unknown_releases == 1);
    device.release(data);
    CHECK_THROWS_AS(device.clear(data, 4), DeviceError);
    CHECK_THAT(error_text<DeviceError>([&] { device.upload(data, outside, 8); }),
               Contains("upload: expected 8 bytes of device memory"));
}

TEST_CASE("host backend: memory that is not to be had", "[gpu]") {
    HostOptions options;
    options.memory = 1000;
    const auto device = on_gpu::host_backend(options);
    {
        const sigma::detail::DeviceMemory part(device, 600, "a part");
        CHECK(device->free_memory() == 400);
        try {
            device->allocate(401, "the rest");
            FAIL("expected a DeviceMemoryError");
        } catch (const DeviceMemoryError& found) {
            CHECK(found.asked == 401);
            CHECK(found.free == 400);
            CHECK_THAT(found.what(), Contains("expected 401 bytes for the rest, found 400 free"));
        }
    }
    CHECK(device->used_memory() == 0);
}

TEST_CASE("host backend: reductions and memory of the block, with any number of threads", "[gpu]") {
    const auto values = counted(256);
    for (const auto order : {HostOrder::forward, HostOrder::backward}) {
        for (const auto& [threads, lanes] : {std::pair{1, 1}, {64, 1}, {64, 8}, {64, 32}, {96, 32}, {256, 256}}) {
            HostBackend device(emulated(threads, lanes, order));
            INFO(threads << " threads, " << lanes << " lanes");
            CHECK(device.threads(1024) == threads);
            const auto count = static_cast<std::size_t>(threads);
            // Each thread has one value, and each thread of a group or a block gets the result of their reduction.
            auto sums = left_by(device, "w.to[SIGMA_THREAD] = sigma_block_reduce<sigma_add>(w.from[SIGMA_THREAD]);\n",
                                values, threads);
            sums.resize(count);
            CHECK(sums == std::vector<float>(count, static_cast<float>(threads * (threads + 1) / 2)));
            const auto largest = left_by(
                device, "w.to[SIGMA_THREAD] = sigma_group_reduce<sigma_max>(w.from[SIGMA_THREAD]);\n", values, threads);
            for (int i = 0; i < threads; ++i)
                CHECK(largest[static_cast<std::size_t>(i)] == static_cast<float>((i / lanes + 1) * lanes));
            auto turned =
                left_by(device,
                        "SIGMA_SHARED float x[256];\n"
                        "for (int block = 0; block < 3; ++block) {\n"
                        "    x[SIGMA_THREAD] = w.from[SIGMA_THREAD];\n    SIGMA_SYNC();\n"
                        "    w.to[SIGMA_THREAD] = x[SIGMA_THREADS - 1 - SIGMA_THREAD];\n    SIGMA_SYNC();\n}\n",
                        values, threads);
            turned.resize(count);
            CHECK(std::equal(turned.rbegin(), turned.rend(), values.begin()));
            // Work is divided by strides of the grid.
            const auto doubled = left_by(device,
                                         "for (long long i = SIGMA_BLOCK * SIGMA_THREADS + SIGMA_THREAD; i < w.count;\n"
                                         "     i += SIGMA_BLOCKS * SIGMA_THREADS) w.to[i] += 2 * w.from[i];\n",
                                         values, threads, 3);
            for (std::size_t i = 0; i < values.size(); ++i) CHECK(doubled[i] == 2 * values[i]);
        }
    }
}

TEST_CASE("host backend: a barrier that is missing, or only of the group, spoils a result in one of the orders",
          "[gpu]") {
    const auto values = counted(64);
    const auto spoiled = [&](const std::string& barrier) {
        const std::string body = sentence(
            "SIGMA_SHARED float x[64];\nx[SIGMA_THREAD] = 0;\nSIGMA_SYNC();\n"
            "x[SIGMA_THREAD] = w.from[SIGMA_THREAD];\n",
            barrier, "w.to[SIGMA_THREAD] = SIGMA_THREAD ? x[SIGMA_THREAD - 1] : 0.0f;\n");
        int orders = 0;
        for (const auto order : {HostOrder::forward, HostOrder::backward}) {
            HostBackend device(emulated(64, 8, order));
            const auto shifted = left_by(device, body, values, 64);
            orders += !std::equal(shifted.begin() + 1, shifted.end(), values.begin());
        }
        return orders;
    };
    CHECK(spoiled("SIGMA_SYNC();\n") == 0);
    CHECK(spoiled("") == 1);
    CHECK(spoiled("SIGMA_GROUP_SYNC();\n") == 1);
}

TEST_CASE("host backend: blocks that depend on each other are found by the order", "[gpu]") {
    const std::string body = "w.to[SIGMA_BLOCK] = 1 + (SIGMA_BLOCK ? w.to[SIGMA_BLOCK - 1] : 0.0f);\n";
    HostBackend forward(emulated(1, 1)), backward(emulated(1, 1, HostOrder::backward));
    CHECK(left_by(forward, body, counted(3), 1, 3) == std::vector<float>{1, 2, 3});
    CHECK(left_by(backward, body, counted(3), 1, 3) == std::vector<float>{1, 1, 1});
}

TEST_CASE("host backend: threads that do not all meet are reported", "[gpu]") {
    const auto values = counted(64);
    for (const auto order : {HostOrder::forward, HostOrder::backward}) {
        HostBackend device(emulated(64, 8, order));
        for (const char* const body :
             {"if (SIGMA_THREAD < 3) SIGMA_SYNC();\n", "if (SIGMA_THREAD == 63) return;\nSIGMA_SYNC();\n",
              "if (SIGMA_LANE < 4) SIGMA_GROUP_SYNC();\n",
              "if (SIGMA_GROUP == 1 && SIGMA_LANE == 2) SIGMA_GROUP_SYNC(); else SIGMA_SYNC();\n"}) {
            const auto text = error_text<DeviceError>([&] { left_by(device, body, values, 64); });
            CHECK_THAT(text, Contains("operation 'k'") && Contains("not all threads of the block meet"));
        }
        // The threads start again after that. Whole groups may omit barriers of groups.
        const auto copied = left_by(device,
                                    "if (SIGMA_GROUP % 2) SIGMA_GROUP_SYNC();\nSIGMA_SYNC();\n"
                                    "w.to[SIGMA_THREAD] = w.from[SIGMA_THREAD];\n",
                                    values, 64);
        CHECK(copied == values);
    }
}

TEST_CASE("host backend: what is captured happens when it is replayed", "[gpu]") {
    HostBackend device(emulated(4, 1));
    const auto module = device.compile(
        sentence(words,
                 "SIGMA_KERNEL(add, 256, k_words) {\n"
                 "for (long long i = SIGMA_THREAD; i < w.count; i += SIGMA_THREADS) w.to[i] += w.from[i];\n}\n"));
    float* const one = uploaded(device, counted(5));
    float* const sum = fresh<float>(device, 5);
    float* const last = fresh<float>(device, 5);
    std::vector<std::uint64_t> list{word(one), word(sum), 5};
    const auto replay = device.capture([&] {
        device.launch({module->function("add"), 1, 4, list, "add"});
        device.copy(last, sum, 20);
        device.clear(one, 4);
    });
    list.assign(3, 0);  // words were read when the kernel was launched
    CHECK(device.counters().launches == 0);
    CHECK(downloaded(device, sum, 5) == std::vector<float>(5));
    replay->run();
    replay->run();
    CHECK(downloaded(device, last, 5) == std::vector<float>{1, 4, 6, 8, 10});
    CHECK(device.counters().launches == 2);
    CHECK(device.counters().captures == 1);
    CHECK(device.counters().replays == 2);

    float host[5] = {};
    const auto refused = [&](const auto& work) {
        CHECK_THROWS_AS(device.capture(work), DeviceError);
        device.synchronize();  // and the capture has ended
    };
    refused([&] { device.upload(one, host, 4); });
    refused([&] { device.download(host, one, 4); });
    refused([&] { device.synchronize(); });
    refused([&] { device.allocate(4, "a test"); });
    refused([&] { device.compile(""); });
    refused([&] { device.capture([] {}); });
    refused([&] { replay->run(); });
    device.release(last);
    CHECK_THROWS_AS(replay->run(), DeviceError);
}

TEST_CASE("host backend: errors of kernels", "[gpu]") {
    HostBackend device(emulated(64, 8));
    CHECK_THAT(
        error_text<DeviceError>([&] { device.compile("int x = 1;\nint y = nowhere;\nint z = ;\n"); }),
        Contains("device 'host', operation 'compile': the kernels do not compile: kernels:2:") && Contains("nowhere"));
    const std::string text = "struct n_words { long long n; };\nSIGMA_KERNEL(n, 32, n_words) {}\n";
    const auto module = device.compile(text);
    CHECK_THROWS_AS(module->function("m"), KernelError);
    const std::uint64_t list[] = {1};
    const auto launch = [&](long long blocks, int threads) {
        device.launch({module->function("n"), blocks, threads, list, "n"});
    };
    launch(1, 32);
    launch(0, 32);
    CHECK(device.counters().launches == 1);
    CHECK_THROWS_AS(launch(1LL << 31, 32), KernelError);
    CHECK_THROWS_AS(launch(1, 64), KernelError);  // more than the bound of SIGMA_KERNEL
    CHECK_THROWS_AS(launch(1, 12), KernelError);  // not a multiple of the lanes
    CHECK_THROWS_AS(launch(1, 0), KernelError);
    device.fail_at_launch(2);
    launch(1, 8);
    CHECK_THAT(error_text<DeviceError>([&] { launch(1, 8); }), Contains("operation 'n'"));
    launch(1, 8);

    const auto runs = device.counters().compiler_runs;
    auto again = device.compile(text);
    CHECK(device.counters().compiler_runs == runs);
    void* const handle = again->function("n");
    device.launch({handle, 1, 8, list, "n"});
    again.reset();
    CHECK_THROWS_AS(device.launch({handle, 1, 8, list, "n"}), KernelError);

    const char* const compiler = std::getenv("SIGMA_HOST_CXX");
    const std::string before = compiler ? compiler : "";
    ::setenv("SIGMA_HOST_CXX", "/nowhere/c++", 1);
    CHECK_THAT(error_text<DeviceError>([&] { device.compile(text); }), Contains("/nowhere/c++"));
    ::setenv("SIGMA_HOST_CXX", before.c_str(), 1);  // restores the value; empty if it was unset
    CHECK_THROWS_AS(HostBackend(emulated(12, 8)), DeviceError);
    CHECK_THROWS_AS(HostBackend(emulated(0, 1)), DeviceError);
    CHECK(HostBackend(emulated(64, 8)).threads(20) == 16);
    CHECK(HostBackend(emulated(64, 8)).threads(4) == 8);
}
