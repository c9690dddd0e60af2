// SPDX-License-Identifier: BSL-1.0
#include <sigma/gpu.hpp>

#include <catch2/catch.hpp>

#include <type_traits>

using namespace sigma;

TEST_CASE("without a GPU the processor is taken, and gpu() says why there is none", "[gpu_test]") {
    if (gpu_count() > 0) {
        WARN("skipped: there is a CUDA device");
        return;
    }
    CHECK_FALSE(gpu_available());
    CHECK_THAT(describe_gpus(), Catch::StartsWith("no GPU: "));
    const Device device = gpu() | cpu({.threads = 2});
    CHECK_FALSE(device.compute_device());
    CHECK(device.threads() == 2);
    CHECK(device.name() == "cpu");
    CHECK_THROWS_AS(Device(gpu()), NoDeviceError);
    CHECK_THROWS_WITH(Device(gpu(3)), Catch::StartsWith("gpu(3): there is no CUDA device ("));
}

TEST_CASE("a GPU is opened once for all who ask for the same one in the same way", "[gpu_test]") {
    if (!gpu_available()) {
        WARN("skipped: no CUDA device");
        return;
    }
    const Device device = gpu() | cpu({.threads = 2});
    REQUIRE(device.compute_device());
    CHECK(device.name() == device.compute_device()->name());
    CHECK(gpu().open() == device.compute_device());
    CHECK(gpu({.precision = Precision::tf32}).open() != device.compute_device());
    CHECK_THAT(describe_gpus(), Catch::StartsWith("gpu(0): ") && Catch::Contains("compute capability"));
    CHECK_THROWS_AS(gpu(gpu_count()).open(), NoDeviceError);
    CHECK_THROWS_AS(Device(gpu(gpu_count())), NoDeviceError);
}

TEST_CASE("numbers of GPUs begin at 0", "[gpu_test]") {
    CHECK_THROWS_WITH(gpu(-1), "gpu: expected a device number from 0 on, found -1");
    CHECK_THROWS_AS(gpu({.device = -1}), ArgumentError);
    static_assert(std::is_convertible_v<Gpu, Device>);
}
