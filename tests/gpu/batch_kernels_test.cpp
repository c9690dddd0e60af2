// SPDX-License-Identifier: BSL-1.0
#include "generated_kernels.hpp"

#include <sigma/device/gpu/kernels/batch.hpp>

#include <catch2/catch.hpp>

#include <array>
#include <bit>
#include <cmath>
#include <limits>

using namespace sigma;
using generated_kernels::devices;

namespace {

template <class Words>
auto as_words(const Words& words) {
    return std::bit_cast<std::array<std::uint64_t, sizeof(Words) / 8>>(words);
}

template <class T>
void check_gather() {
    std::vector<std::uint32_t> positions(50);
    for (std::size_t i = 0; i < positions.size(); ++i) positions[i] = static_cast<std::uint32_t>(i * 37 % 50);
    const detail::StepCounters counters{1, 2, 13};
    const std::size_t records = 21;
    const std::vector<std::size_t> widths{1, 7, 8, 0, 12, 100, 3};  // elements in a row of each section
    for (const auto& device : devices())
        for (std::size_t many = 1; many <= widths.size(); ++many)
            for (const std::size_t shift : {0, 1}) {  // addresses that allow no whole packs
                INFO(many << " sections, " << device->name() << ", " << device->threads(1024) << " threads");
                std::vector<std::vector<T>> from, to;
                std::vector<T*> from_there, to_there;
                std::vector<detail::GatherRecords::Section> sections;
                for (std::size_t s = 0; s < many; ++s) {
                    from.emplace_back(50 * widths[s] + shift);
                    for (std::size_t i = 0; i < from[s].size(); ++i) from[s][i] = static_cast<T>(i + s);
                    to.emplace_back(records * widths[s] + 1, T(-1));
                    from_there.push_back(test::uploaded(*device, from[s]));
                    to_there.push_back(test::uploaded(*device, to[s]));
                    sections.push_back({from_there[s] + shift, to_there[s], widths[s]});
                }
                auto* const order = test::uploaded(*device, positions);
                auto* const first = test::uploaded(*device, std::vector<detail::StepCounters>{counters});
                const auto* const host = dynamic_cast<const on_gpu::HostBackend*>(device.get());
                const std::uint64_t before = host ? host->counters().launches : 0;
                device->gather({sections, order, first, records, detail::element_type<T>});
                if (host) REQUIRE(host->counters().launches - before == (many + 3) / 4);
                for (std::size_t s = 0; s < many; ++s) {
                    to[s] = test::downloaded(*device, to_there[s], to[s].size());
                    device->release(from_there[s]);
                    device->release(to_there[s]);
                }
                device->release(order);
                device->release(first);
                bool right = true;
                for (std::size_t s = 0; s < many; ++s) {
                    right = right && to[s].back() == T(-1);
                    for (std::size_t i = 0; i < records; ++i)
                        for (std::size_t j = 0; j < widths[s]; ++j)
                            right =
                                right && to[s][i * widths[s] + j] == from[s][shift + positions[13 + i] * widths[s] + j];
                }
                REQUIRE(right);
            }
}

template <class T>
void check_tally() {
    for (const auto& device : devices()) {
        const auto module = device->compile(on_gpu::accumulate_loss_text(detail::ElementType::float32) +
                                            on_gpu::accumulate_loss_text(detail::ElementType::float64));
        detail::LossAccumulator tally;
        detail::StepCounters counters{9, 4, 100};
        auto* const tally_there = test::uploaded(*device, std::vector<detail::LossAccumulator>{tally});
        auto* const counters_there = test::uploaded(*device, std::vector<detail::StepCounters>{counters});
        auto* const value_there = test::uploaded(*device, std::vector<T>{T(0)});
        const auto step = [&](T value, long long records) {
            device->upload(value_there, &value, sizeof value);
            device->launch({module->function(on_gpu::accumulate_loss_name(detail::element_type<T>)),
                            std::min(2ll, device->most_blocks()), device->threads(32),
                            as_words(on_gpu::AccumulateLossWords{tally_there, counters_there, value_there, records}),
                            "tally"});
            device->download(&tally, tally_there, sizeof tally);
            device->download(&counters, counters_there, sizeof counters);
        };
        step(T(0.5), 10);
        step(T(0.25), 4);
        REQUIRE(tally.total == 6);
        REQUIRE(tally.records == 14);
        REQUIRE(tally.first_non_finite == 0);
        step(std::numeric_limits<T>::infinity(), 10);
        step(std::numeric_limits<T>::quiet_NaN(), 10);
        REQUIRE(tally.first_non_finite == 6);
        REQUIRE_FALSE(std::isfinite(tally.total));
        REQUIRE(counters.seed == 9);
        REQUIRE(counters.step == 8);
        REQUIRE(counters.first == 134);
        for (void* each :
             {static_cast<void*>(tally_there), static_cast<void*>(counters_there), static_cast<void*>(value_there)})
            device->release(each);
    }
}

}  // namespace

TEST_CASE("GPU text: records gathered by position") {
    check_gather<float>();
    check_gather<double>();
}
TEST_CASE("GPU text: the tally of losses and the counters of steps") {
    check_tally<float>();
    check_tally<double>();
}
