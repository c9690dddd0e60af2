// SPDX-License-Identifier: BSL-1.0
#include <gpu/host/host_backend.hpp>

#include "host_memory.hpp"

#include <catch2/catch.hpp>

#include <cstdint>
#include <vector>

using namespace sigma;
using namespace sigma::test;

TEST_CASE("host backend: memory that is uploaded ahead must not change before the wait", "[gpu]") {
    HostBackend device;
    float* const to = fresh<float>(device, 4);
    auto* const from = static_cast<float*>(device.allocate_host(16));
    float pageable[4] = {};
    CHECK_THROWS_AS(device.upload_ahead(to, pageable, 16, 0), DeviceError);
    from[0] = 7;
    const auto first = device.upload_ahead(to, from, 16, device.mark());
    device.wait(first);
    from[0] = 8;
    const auto second = device.upload_ahead(to, from, 16, device.mark());
    CHECK(downloaded(device, to, 1)[0] == 8);
    from[0] = 9;
    device.wait(second);
    const auto third = device.upload_ahead(to, from, 16, device.mark());
    from[0] = 10;
    CHECK_THROWS_AS(device.wait(third), DeviceError);
    CHECK_THROWS_AS(device.synchronize(), DeviceError);
    CHECK_THROWS_AS(device.wait(third + 1), DeviceError);
    device.release_host(from);
}

TEST_CASE("host backend: uploads ahead keep away from what work still touches", "[gpu]") {
    HostBackend device;
    float* const to = fresh<float>(device, 8);
    float* const other = fresh<float>(device, 8);
    auto* const from = static_cast<float*>(device.allocate_host(16));
    const auto module = device.compile(sentence(words, "SIGMA_KERNEL(k, 256, k_words) { w.to[0] = w.from[0]; }\n"));
    const auto before = device.upload_ahead(to, from, 16, 0);
    const auto work = {+[](HostBackend& d, float* x, float* y, on_gpu::Module&) { d.copy(y, x, 32); },
                       +[](HostBackend& d, float* x, float*, on_gpu::Module&) { d.clear(x, 4); },
                       +[](HostBackend& d, float* x, float* y, on_gpu::Module& m) {
                           const std::uint64_t list[] = {word(x), word(y), 1};
                           d.launch({m.function("k"), 1, 1, list, "k"});
                       }};
    for (const auto& touch : work) {
        touch(device, to, other, *module);
        CHECK_THROWS_AS(device.upload_ahead(to, from, 16, before), DeviceError);
        device.upload_ahead(to, from, 0, before);
        device.wait(before);  // does not help, because the work was issued later
        CHECK_THROWS_AS(device.upload_ahead(to, from, 16, before), DeviceError);
        device.upload_ahead(to, from, 16, device.mark());
        touch(device, to, other, *module);
        const auto upload = device.upload_ahead(other, from, 4, device.mark());
        device.wait(upload);
        device.upload_ahead(to, from, 16, 0);
        touch(device, to, other, *module);
        device.synchronize();
        device.upload_ahead(to, from, 16, 0);
        device.synchronize();
    }
    device.release_host(from);
}
