// SPDX-License-Identifier: BSL-1.0
#include "device.hpp"

#include <bit>
#include <cstring>
#include <numeric>

using namespace sigma;
using sigma::on_gpu::Backend;
using sigma::on_gpu::Module;
using sigma::test::cuda_device;
using sigma::test::downloaded;
using sigma::test::uploaded;

namespace {

/// A kernel that adds its index to each element.
const char* const add_index_text = R"(
struct add_index_words { float* p0; long long records; };
SIGMA_KERNEL(add_index, 256, add_index_words) {
    for (long long i = SIGMA_BLOCK * SIGMA_THREADS + SIGMA_THREAD; i < w.records; i += SIGMA_BLOCKS * SIGMA_THREADS)
        w.p0[i] += static_cast<float>(i);
}
)";

void add_index(Backend& device, Module& module, float* to, long long count) {
    const std::uint64_t words[] = {std::bit_cast<std::uint64_t>(to), static_cast<std::uint64_t>(count)};
    device.launch({module.function("add_index"), 3, device.threads(256), words, "add its index"});
}
std::vector<float> indices(std::size_t count, float times) {
    std::vector<float> all(count);
    for (std::size_t i = 0; i < count; ++i) all[i] = times * static_cast<float>(i);
    return all;
}

}  // namespace

TEST_CASE("CUDA memory is zeroed, aligned, and comes back as it went", "[cuda_backend_test]") {
    const auto device = cuda_device();
    if (!device) return;
    for (const std::size_t bytes : {std::size_t{0}, std::size_t{1}, std::size_t{1000}, std::size_t{9} << 20}) {
        void* const data = device->allocate(bytes, "a test");
        CHECK(reinterpret_cast<std::uintptr_t>(data) % 256 == 0);
        std::vector<unsigned char> there(bytes, 7);
        device->download(there.data(), data, bytes);
        CHECK(there == std::vector<unsigned char>(bytes, 0));
        for (std::size_t i = 0; i < bytes; ++i) there[i] = static_cast<unsigned char>(i * 31 >> 3);
        const auto kept = there;
        device->upload(data, there.data(), bytes);
        std::fill(there.begin(), there.end(), static_cast<unsigned char>(1));  // may change when the call returns
        void* const other = device->allocate(bytes, "a test");
        device->copy(other, data, bytes);
        device->clear(data, bytes);
        std::vector<unsigned char> back(bytes);
        device->download(back.data(), other, bytes);
        CHECK(back == kept);
        device->download(back.data(), data, bytes);
        CHECK(back == std::vector<unsigned char>(bytes, 0));
        device->release(data);
        device->release(other);
    }
}

TEST_CASE("many small uploads to CUDA arrive, whatever becomes of their source", "[cuda_backend_test]") {
    const auto device = cuda_device();
    if (!device) return;
    constexpr std::size_t count = 3000, each = 500;  // six megabytes
    auto* const data = static_cast<int*>(device->allocate(count * each * sizeof(int), "a test"));
    std::vector<int> part(each);
    for (std::size_t i = 0; i < count; ++i) {
        std::iota(part.begin(), part.end(), static_cast<int>(i * each));
        device->upload(data + i * each, part.data(), each * sizeof(int));
    }
    const auto back = downloaded(*device, data, count * each);
    std::vector<int> expected(count * each);
    std::iota(expected.begin(), expected.end(), 0);
    CHECK(back == expected);
    device->release(data);
}

TEST_CASE("CUDA copies ahead keep their order with the work before and after", "[cuda_backend_test]") {
    const auto device = cuda_device();
    if (!device) return;
    constexpr std::size_t count = 5000;
    auto* const host = static_cast<float*>(device->allocate_host(count * sizeof(float)));
    auto* const slot = static_cast<float*>(device->allocate(count * sizeof(float), "a test"));
    auto* const sums = static_cast<float*>(device->allocate(600 * sizeof(float), "a test"));
    std::uint64_t used = 0, copied = 0;
    for (int step = 0; step < 600; ++step) {  // more marks than there are events
        device->wait(copied);
        std::fill_n(host, count, static_cast<float>(step));
        copied = device->upload_ahead(slot, host, count * sizeof(float), used);
        device->copy(sums + step, slot + count - 1, sizeof(float));
        used = device->mark();
    }
    const auto found = downloaded(*device, sums, 600);
    CHECK(found == indices(600, 1));
    device->wait(1);
    device->wait(used);
    device->release_host(host);
    device->release(slot);
    device->release(sums);
}

TEST_CASE("CUDA sorts in the order of its work, in replays too", "[cuda_backend_test]") {
    for (const bool examine : {false, true}) {
        GpuOptions options;
        options.check_each_kernel = examine;
        const auto device = cuda_device(options);
        if (!device || !device->sort_pays(1, 1)) return;
        CHECK(!device->sort_pays(999, 1000));
        std::vector<std::uint32_t> keys(1000);
        std::vector<std::int32_t> numbers(1000), sorted(1000);
        for (std::size_t i = 0; i < 1000; ++i) {
            keys[i] = static_cast<std::uint32_t>(i * 7 % 10 << 28);
            numbers[i] = static_cast<std::int32_t>(i);
            sorted[i] = static_cast<std::int32_t>(i % 100 * 10 + i / 100 * 3 % 10);
        }
        auto* const key = uploaded(*device, keys);
        auto* const number = uploaded(*device, numbers);
        auto* const key_before = uploaded(*device, keys);
        auto* const number_before = uploaded(*device, numbers);
        const std::size_t bytes = on_gpu::algorithms::sort_bytes(1000);
        void* const memory = device->allocate(bytes, "a test");
        const auto work = [&] {
            device->copy(key, key_before, 4000);
            device->copy(number, number_before, 4000);
            device->sort({key, number, 1000, memory, bytes});
        };
        work();
        CHECK(downloaded(*device, number, 1000) == sorted);
        CHECK(downloaded(*device, key, 1000)[999] == 9u << 28);
        const detail::Owned<detail::CapturedGraph> replay = device->capture(work);
        device->clear(number, 4000);
        replay->run();
        CHECK(downloaded(*device, number, 1000) == sorted);
        CHECK_THROWS_WITH(device->sort({key, number, 1000, memory, 100}), Catch::Matchers::Contains("cannot sort"));
        for (void* each : {static_cast<void*>(key), static_cast<void*>(number), static_cast<void*>(key_before),
                           static_cast<void*>(number_before), memory})
            device->release(each);
    }
}

TEST_CASE("CUDA kernels compiled from text run, and are replayed", "[cuda_backend_test]") {
    for (const bool examine : {false, true}) {
        GpuOptions options;
        options.check_each_kernel = examine;
        const auto device = cuda_device(options);
        if (!device) return;
        const std::unique_ptr<Module> module = device->compile(add_index_text);
        constexpr std::size_t count = 1001;
        auto* const data = static_cast<float*>(device->allocate(count * sizeof(float), "a test"));
        auto* const other = static_cast<float*>(device->allocate(count * sizeof(float), "a test"));
        add_index(*device, *module, data, count);
        CHECK(downloaded(*device, data, count) == indices(count, 1));

        void* later = device->allocate(64, "a test");
        const detail::Owned<detail::CapturedGraph> replay = device->capture([&] {
            add_index(*device, *module, data, count);
            add_index(*device, *module, data, count);
            device->copy(other, data, count * sizeof(float));
            device->clear(data, sizeof(float) * 10);
            device->release(later);
        });
        CHECK(downloaded(*device, data, count) == indices(count, 1));  // captured work is not done yet
        replay->run();
        replay->run();
        CHECK(downloaded(*device, other, count).back() == 5.0f * static_cast<float>(count - 1));
        CHECK(downloaded(*device, other, count)[9] == 18);
        CHECK(downloaded(*device, data, count)[9] == 0);
        CHECK_THROWS_AS(module->function("no such kernel"), KernelError);
        device->release(data);
        device->release(other);
    }
}

TEST_CASE("what cannot be captured on CUDA is refused, and the device goes on", "[cuda_backend_test]") {
    for (const bool examine : {false, true}) {
        GpuOptions options;
        options.check_each_kernel = examine;
        const auto device = cuda_device(options);
        if (!device) return;
        auto* const data = uploaded<float>(*device, {1, 2, 3});
        float there[3] = {9, 9, 9};
        const auto refuses = [&](const std::function<void()>& work) {
            CHECK_THROWS_AS(device->capture(work), DeviceError);
        };
        refuses([&] { device->upload(data, there, sizeof there); });
        refuses([&] { device->upload_ahead(data, there, sizeof there, 0); });
        refuses([&] { device->download(there, data, sizeof there); });
        refuses([&] { device->synchronize(); });
        refuses([&] { device->mark(); });
        refuses([&] { device->allocate(8, "a test"); });
        refuses([&] { device->capture([] {}); });
        CHECK_THROWS_WITH(
            device->capture([&] { device->download(there, data, sizeof there); }),
            Catch::Contains("expected kernels, products, copies and clearings on the device, found a download"));
        CHECK_THROWS_AS(device->capture([&] {
            device->clear(data, sizeof there);
            throw ArgumentError("a test", "this", "that");
        }),
                        ArgumentError);
        CHECK(downloaded(*device, data, 3) == std::vector<float>{1, 2, 3});
        const auto empty = device->capture([] {});
        empty->run();
        device->synchronize();
        device->release(data);
    }
}

TEST_CASE("CUDA memory that is not to be had says what for, and how much there was", "[cuda_backend_test]") {
    const auto device = cuda_device();
    if (!device) return;
    const std::size_t free = device->free_memory();
    try {
        device->allocate(free * 16, "the arena of 7 records");
        FAIL("expected an error");
    } catch (const DeviceMemoryError& e) {
        CHECK(e.asked == free * 16);
        CHECK(e.free <= free);
        CHECK_THAT(e.what(),
                   Catch::Contains("bytes for the arena of 7 records, found ") && Catch::Contains(device->name()));
    }
    device->release(device->allocate(1000, "a test"));  // the failed allocation keeps no memory
    device->synchronize();
}

TEST_CASE("CUDA launches that cannot be name their operation", "[cuda_backend_test]") {
    const auto device = cuda_device();
    if (!device) return;
    const std::unique_ptr<Module> module = device->compile(add_index_text);
    const std::uint64_t words[] = {0, 0};
    CHECK_THROWS_WITH(device->launch({module->function("add_index"), 1, 5000, words, "kernel 4, rows"}),
                      Catch::Contains("operation 'kernel 4, rows': cannot launch 1 blocks of 5000 threads"));
    device->launch({module->function("add_index"), 0, 256, words, "nothing"});
    device->synchronize();
    CHECK(device->threads(256) == 256);
    CHECK(device->threads(100) == 96);
    CHECK(device->threads(1) == 32);
    CHECK(device->threads(4096) == 1024);
    CHECK(device->most_blocks() > 0);
}

// This test makes the device unusable for the process: run it alone, `sigma_gpu_tests '[.fault]'`.
TEST_CASE("a CUDA kernel that fails is named", "[.fault]") {
    for (const bool examine : {true, false}) {
        GpuOptions options;
        options.check_each_kernel = examine;
        const auto device = cuda_device(options);
        if (!device) return;
        const std::unique_ptr<Module> module = device->compile(
            "struct fault_words { float* p0; };\nSIGMA_KERNEL(fault, 32, fault_words) { w.p0[SIGMA_THREAD] = 1; }\n");
        const std::uint64_t words[] = {64};
        auto* const data = uploaded<float>(*device, {1, 2, 3});
        try {
            device->clear(data, 4);
            device->launch({module->function("fault"), 1, 32, words, "kernel 3, move"});
            device->clear(data, 4);
            device->synchronize();
            FAIL("expected an error");
        } catch (const KernelError& e) {
            if (examine) CHECK(e.operation == "kernel 3, move");
            else CHECK_THAT(e.what(), Catch::Contains("this or one of the 2 operations before, from 'clearing' on"));
            CHECK_THAT(e.what(), Catch::Contains("cudaErrorIllegalAddress"));
        }
        break;  // a failed device stays unusable
    }
}
