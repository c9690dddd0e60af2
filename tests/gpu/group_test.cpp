// SPDX-License-Identifier: BSL-1.0
#include <gpu/host/host_group.hpp>
#include <sigma/device/dual_buffer.hpp>

#include <catch2/catch.hpp>

#include <memory>
#include <vector>

using namespace sigma;

TEST_CASE("a group is two devices or more, each once", "[group_test]") {
    const auto device = on_gpu::host_device();
    CHECK_THROWS_WITH(on_gpu::host_group(1), "group of devices: expected two devices or more, found 1");
    CHECK_THROWS_WITH(detail::StagedGroup({on_gpu::host_device(), device, device}),
                      "group of devices: expected each device once, found the same device at positions 1 and 2");
    CHECK(on_gpu::host_group(3)->name() == "3 x host");
}

TEST_CASE("a group adds in the order of its members, and all have the same", "[group_test]") {
    const auto examine = [](auto zero, detail::ElementType element) {
        using T = decltype(zero);
        const auto group = on_gpu::host_group(3);
        for (const std::size_t count : {std::size_t{1}, std::size_t{1001}, std::size_t{7}}) {
            std::vector<detail::DeviceMemory> memory;
            std::vector<void*> arrays;
            std::vector<T> wanted(count, zero);
            for (std::size_t m = 0; m < 3; ++m) {
                std::vector<T> values(count);
                for (std::size_t i = 0; i < count; ++i) wanted[i] += values[i] = T(1) / static_cast<T>(i + 3 * m + 1);
                memory.emplace_back(group->members()[m], count * sizeof(T), "numbers");
                arrays.push_back(memory.back().data());
                group->members()[m]->upload(arrays.back(), values.data(), count * sizeof(T));
            }
            group->all_reduce(arrays, count, element);
            for (std::size_t m = 0; m < 3; ++m) {
                std::vector<T> found(count);
                group->members()[m]->download(found.data(), arrays[m], count * sizeof(T));
                CHECK(found == wanted);
            }
            CHECK_THROWS_AS(group->all_reduce(std::span(arrays).first(2), count, element), ArgumentError);
        }
    };
    examine(0.0f, detail::ElementType::float32);
    examine(0.0, detail::ElementType::float64);
}

TEST_CASE("tensors on a group are the same on all members", "[group_test]") {
    const auto group = on_gpu::host_group(3);
    detail::DualBuffer<float> tensors({0, 16, 48, 64});
    for (int i = 0; i < 3; ++i) tensors.write(i)[0] = static_cast<float>(i + 1);
    tensors.attach(group, "tensors");
    const auto there = [&](int i, std::size_t copy) {
        float x = 0;
        tensors.device_of(copy)->download(&x, tensors.on_device(i, copy), sizeof x);
        return x;
    };
    const auto is_everywhere = [&](int i, float x) { return there(i, 0) == x && there(i, 1) == x && there(i, 2) == x; };
    const auto change = [&](int i, std::size_t copy, float x) {
        tensors.device_of(copy)->upload(tensors.on_device(i, copy), &x, sizeof x);
    };
    CHECK(tensors.compute_device() == group->members()[0]);
    CHECK(tensors.copies() == 3);
    tensors.upload();
    for (int i = 0; i < 3; ++i) CHECK(is_everywhere(i, static_cast<float>(i + 1)));

    tensors.write(1)[0] = 7;  // by the host
    tensors.upload();
    CHECK(is_everywhere(1, 7));
    change(2, 0, 8);  // only by the first member
    tensors.mark_written(2);
    CHECK(there(2, 1) == 3);
    tensors.upload();
    CHECK(is_everywhere(2, 8));
    change(0, 0, 9);  // also by the first member, and read before it is sent to all
    tensors.mark_written(0);
    CHECK(tensors.read(0)[0] == 9);
    tensors.upload();
    CHECK(is_everywhere(0, 9));
    for (std::size_t copy = 0; copy < 3; ++copy) change(1, copy, 10);  // by all
    tensors.mark_written_by_all(1);
    const auto uploads = on_gpu::host_member(*group, 1).counters().uploads;
    tensors.upload();
    CHECK(on_gpu::host_member(*group, 1).counters().uploads == uploads);
    CHECK(tensors.read_all()[16] == 10);

    tensors.detach();
    CHECK(!tensors.compute_device());
    tensors.attach(group->members()[1], "tensors");
    CHECK(tensors.copies() == 1);
    tensors.upload();
    CHECK(there(0, 0) == 9);
    tensors.drop_device_copies();
    for (std::size_t m = 0; m < 3; ++m) CHECK(on_gpu::host_member(*group, m).used_memory() == 0);
}
