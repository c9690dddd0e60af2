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
    const StepCounters counters{1, 2, 13};
    const std::size_t records = 21;
    const std::vector<std::size_t> widths{1, 7, 8, 0, 12, 100, 3};  // elements in a row of each section
    for (const auto& device : devices())
        for (std::size_t many = 1; many <= widths.size(); ++many)
            for (const std::size_t shift : {0, 1}) {  // addresses that allow no whole packs
                INFO(many << " sections, " << device->options().threads << " threads");
                std::vector<std::vector<T>> from, to;
                std::vector<GatherRecords::Section> sections;
                for (std::size_t s = 0; s < many; ++s) {
                    from.emplace_back(50 * widths[s] + shift);
                    for (std::size_t i = 0; i < from[s].size(); ++i) from[s][i] = static_cast<T>(i + s);
                    to.emplace_back(records * widths[s] + 1, T(-1));
                    sections.push_back({from[s].data() + shift, to[s].data(), widths[s]});
                }
                const long long before = device->counters().launches;
                device->gather({sections, positions.data(), &counters, records, element_type<T>});
                REQUIRE(device->counters().launches - before == (many + 3) / 4);
                bool right = true;
                for (std::size_t s = 0; s < many; ++s) {
                    right = right && to[s].back() == T(-1);
                    for (std::size_t i = 0; i < records; ++i)
                        for (std::size_t j = 0; j < widths[s]; ++j)
                            right = right && to[s][i * widths[s] + j] ==
                                                 from[s][shift + positions[13 + i] * widths[s] + j];
                }
                REQUIRE(right);
            }
}

template <class T>
void check_tally() {
    for (const auto& device : devices()) {
        const auto module =
            device->compile(on_gpu::tally_text(ElementType::float32) + on_gpu::tally_text(ElementType::float64));
        LossTally tally;
        StepCounters counters{9, 4, 100};
        const auto step = [&](T value, long long records) {
            device->launch({module->function(on_gpu::tally_name(element_type<T>)), std::min(2ll, device->most_blocks()),
                            device->threads(32), as_words(on_gpu::TallyWords{&tally, &counters, &value, records}),
                            "tally"});
        };
        step(T(0.5), 10);
        step(T(0.25), 4);
        REQUIRE(tally.total == 6);
        REQUIRE(tally.records == 14);
        REQUIRE(tally.unsound == 0);
        step(std::numeric_limits<T>::infinity(), 10);
        step(std::numeric_limits<T>::quiet_NaN(), 10);
        REQUIRE(tally.unsound == 6);
        REQUIRE_FALSE(std::isfinite(tally.total));
        REQUIRE(counters.seed == 9);
        REQUIRE(counters.step == 8);
        REQUIRE(counters.first == 134);
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
