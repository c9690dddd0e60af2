// SPDX-License-Identifier: BSL-1.0
#include <sigma/gpus.hpp>

#include <catch2/catch.hpp>

#include <type_traits>
#include <vector>

using namespace sigma;

namespace {

/// Checks a sum of arrays of members, each with its own numbers.
template <class T>
void check_sum(detail::ComputeGroup& group, std::size_t count) {
    std::vector<detail::DeviceMemory> memory;
    std::vector<void*> arrays;
    std::vector<T> wanted(count, 0);
    for (std::size_t m = 0; m < group.size(); ++m) {
        std::vector<T> values(count);
        for (std::size_t i = 0; i < count; ++i) wanted[i] += values[i] = static_cast<T>(i % 97) + static_cast<T>(m) / 4;
        memory.emplace_back(group.members()[m], count * sizeof(T), "a sum");
        arrays.push_back(memory.back().data());
        group.members()[m]->upload(arrays.back(), values.data(), count * sizeof(T));
    }
    group.all_reduce(arrays, count, detail::element_type<T>);
    group.synchronize();
    for (std::size_t m = 0; m < group.size(); ++m) {
        std::vector<T> found(count);
        group.members()[m]->download(found.data(), arrays[m], count * sizeof(T));
        CHECK(found == wanted);  // sums of quarters are exact in any order
    }
}

}  // namespace

TEST_CASE("what gpus takes", "[gpus_test]") {
    static_assert(std::is_convertible_v<Gpus, detail::DeviceGroup>);
    static_assert(std::is_convertible_v<DeviceChoice, detail::DeviceGroup>);
    static_assert(!std::is_convertible_v<Gpus, Device>);
    static_assert(!std::is_convertible_v<Gpu, detail::DeviceGroup>);
    CHECK_THROWS_WITH(gpus(0), "gpus: expected one device or more, found 0");
    CHECK_THROWS_WITH(gpus({0, -1}), "gpus: expected device numbers from 0 on, found -1");
    CHECK_THROWS_WITH(gpus({2, 0, 2}), "gpus: expected each number once, found number 2 twice");
}

TEST_CASE("without a GPU the processor is taken in place of several", "[gpus_test]") {
    if (gpu_count() > 0) {
        WARN("skipped: there is a CUDA device");
        return;
    }
    CHECK_THROWS_AS(gpus().open(), NoDeviceError);
    CHECK_THROWS_AS(gpus(2).open(), NoDeviceError);
    CHECK_THROWS_AS(detail::DeviceGroup(gpus(2) | gpu()), NoDeviceError);
    const detail::DeviceGroup chosen = gpus(2) | gpu() | cpu({.threads = 3});
    CHECK(!chosen.group());
    CHECK(chosen.name() == "cpu");
    CHECK(chosen.device().threads() == 3);
    CHECK(detail::DeviceGroup(gpus({0, 1}) | (gpu() | cpu({.threads = 2}))).device().threads() == 2);
}

TEST_CASE("CUDA devices add what they have", "[gpus_test]") {
    if (gpu_count() < 2) {
        WARN("skipped: less than two CUDA devices");
        return;
    }
    const detail::DeviceGroup chosen = gpus(2);
    REQUIRE(chosen.group());
    CHECK(chosen.group() == gpus({0, 1}).open().group());
    CHECK(detail::DeviceGroup(gpus(2) | gpu() | cpu()).group() == chosen.group());
    for (const std::size_t count : {std::size_t{1}, std::size_t{1000}, std::size_t{1} << 20}) {
        check_sum<float>(*chosen.group(), count);
        check_sum<double>(*chosen.group(), count);
    }
    chosen.group()->abort();
    check_sum<float>(*chosen.group(), 5);  // connects again
    detail::StagedGroup through_host(chosen.group()->members());
    check_sum<float>(through_host, 1000);
}
