// SPDX-License-Identifier: BSL-1.0
#include <catch2/catch.hpp>
#include <gpu/parallel.hpp>
#include <sigma/data/transform/augmentations.hpp>

#include <type_traits>

using namespace trained;

TEST_CASE("a group trains as one device", "[parallel_test]") {
    const auto two = on_gpu::host_group(2), three = on_gpu::host_group(3);
    const auto here = run_on<Plain>(cpu(), batches_of(), Adam{}, 3);
    CHECK(here.told.size() == 3 * 5 + 3);
    check_equal(run_on<Plain>(two, batches_of(), Adam{}, 3), here);
    check_equal(run_on<Plain>(three, batches_of(), Adam{}, 3), here);
    check_equal(run_on<Plain>(two, batches_of(), Adam{}, 3, false),
                run_on<Plain>(cpu(), batches_of(), Adam{}, 3, false));
    for (std::size_t m = 0; m < 2; ++m) CHECK(on_gpu::host_member(*two, m).counters().replays > 0);
    check_equal(run_on<Plain, Adam, double>(three, batches_of(), Adam{}, 2),
                run_on<Plain, Adam, double>(cpu(), batches_of(), Adam{}, 2), 1e-7);
}

TEST_CASE("gradients are clipped by the norm of their sum over a group", "[parallel_test]") {
    const auto optimizer = clip_gradient_norm(GradientDescent{.learning_rate = 0.5}, 0.1);
    const auto here = run_on<Plain>(cpu(), batches_of(), optimizer, 2);
    CHECK(apart(here.parameters,
                run_on<Plain>(cpu(), batches_of(), GradientDescent{.learning_rate = 0.5}, 2).parameters) > 0.01);
    check_equal(run_on<Plain>(on_gpu::host_group(2), batches_of(), optimizer, 2), here);
}

TEST_CASE("a batch with fewer records than a group has members", "[parallel_test]") {
    const auto here = run_on<Plain>(cpu(), batches_of(33), Adam{}, 2);  // 16, 16 and 1
    check_equal(run_on<Plain>(on_gpu::host_group(3), batches_of(33), Adam{}, 2), here);
    const auto single = [] { return minibatches(points(9), 1, 5); };
    check_equal(run_on<Plain>(on_gpu::host_group(3), single(), Adam{}, 1), run_on<Plain>(cpu(), single(), Adam{}, 1));
}

TEST_CASE("records that do not stay on a group are copied there", "[parallel_test]") {
    auto of = batches_of(50) >> data::augment(data::section_words::inputs, data::noise(0.1));
    check_equal(run_on<Plain>(on_gpu::host_group(3), of, Adam{}, 2), run_on<Plain>(cpu(), of, Adam{}, 2));
    of.prefetch = 2;
    check_equal(run_on<Plain>(on_gpu::host_group(2), of, Adam{}, 2), run_on<Plain>(cpu(), of, Adam{}, 2));
}

TEST_CASE("each member of a group reads its part of the records alone", "[parallel_test]") {
    const auto one = on_gpu::host_backend();
    const auto four = on_gpu::host_group(4);
    const auto of = minibatches(points(2048), 256, 5) >> data::augment(data::section_words::inputs, data::noise(0.1));
    run_on<Plain>(one, of, Adam{}, 2, false);
    run_on<Plain>(four, of, Adam{}, 2, false);
    for (std::size_t m = 1; m < 4; ++m) {
        const on_gpu::HostCounters& seen = on_gpu::host_member(*four, m).counters();
        // Sums also go through the host, with as many bytes down as up.
        CHECK(seen.bytes_up - seen.bytes_down < one->counters().bytes_up / 2);
    }
}

TEST_CASE("what a run takes", "[parallel_test]") {
    static_assert(std::is_convertible_v<std::shared_ptr<sigma::detail::ComputeGroup>, sigma::detail::DeviceGroup>);
    static_assert(!std::is_convertible_v<std::shared_ptr<sigma::detail::ComputeGroup>, Device>);
    static_assert(!std::is_convertible_v<std::shared_ptr<sigma::detail::ComputeDevice>, sigma::detail::DeviceGroup>);
    CHECK(sigma::detail::DeviceGroup(on_gpu::host_group(2)).name() == "2 x host");
    const sigma::detail::DeviceGroup one(Device(cpu({.threads = 2})));
    CHECK(!one.group());
    CHECK(one.name() == "cpu");
    check_equal(run_on<Plain>(one, batches_of(), Adam{}, 1), run_on<Plain>(cpu(), batches_of(), Adam{}, 1));
}
