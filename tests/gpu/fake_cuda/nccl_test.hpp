// SPDX-License-Identifier: BSL-1.0
#pragma once
#include "nccl.hpp"

#include "../gpus_test.cpp"

TEST_CASE("errors of a group of CUDA devices", "[fake_cuda_test]") {
    auto& machine = fake_cuda::machine();
    auto& nccl = fake_nccl::state();
    machine.devices = 3;
    {
        nccl.next_connect = ncclSystemError;
        CHECK_THROWS_WITH(gpus({0, 2}).open(),
                          "devices '2 x Fake H100': NCCL cannot connect them: unhandled error of the "
                          "fake (it was asked to)");
        const auto group = gpus({2, 0}).open().group();
        REQUIRE(group);
        CHECK(sigma::detail::DeviceGroup(gpus({2, 0}) | gpu() | cpu()).group() == group);
        CHECK(sigma::detail::DeviceGroup(gpus(4) | gpus({2, 0}) | cpu()).group() == group);
        CHECK(sigma::detail::DeviceGroup(gpus(4) | gpu() | cpu()).device().compute_device() == gpu().open());
        CHECK(!gpus(1).open().group());
        CHECK(gpus(1).open().device().compute_device() == gpu().open());
        CHECK(gpus().open().group()->size() == 3);
        sigma::detail::DeviceMemory one(group->members()[0], 16, "a sum"), other(group->members()[1], 16, "a sum");
        void* const arrays[] = {one.data(), other.data()};
        CHECK_THROWS_AS(group->all_reduce(std::span(arrays).first(1), 4, sigma::detail::ElementType::float32),
                        ArgumentError);
        const int aborted = nccl.aborted;
        nccl.next_reduce = ncclInternalError;
        CHECK_THROWS_WITH(group->all_reduce(arrays, 4, sigma::detail::ElementType::float32),
                          Catch::Contains("NCCL cannot add: unhandled"));
        CHECK(nccl.aborted == aborted + 2);
        CHECK(nccl.depth == 0);
        check_sum<float>(*group, 10);  // connects again

        // A failed member is noticed while others wait, and then no member waits any more.
        auto& backend = dynamic_cast<on_gpu::Backend&>(*group->members()[1]);
        const auto module =
            backend.compile("struct fault_words { float* p0; };\nSIGMA_KERNEL(fault, 32, fault_words) {}\n");
        const std::uint64_t words[] = {0};
        backend.launch({module->function("fault"), 1, 32, words, "kernel 3, move"});
        group->all_reduce(arrays, 4, sigma::detail::ElementType::float32);
        CHECK_THROWS_AS(group->synchronize(), DeviceError);
        CHECK(nccl.aborted == aborted + 4);
        machine.broken = cudaSuccess;
        check_sum<double>(*group, 10);
    }
    CHECK(nccl.made == nccl.destroyed + nccl.aborted);
    machine.devices = 1;
}
