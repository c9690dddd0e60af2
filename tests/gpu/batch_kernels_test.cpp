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
    const std::size_t known = 12;
    std::string text = on_gpu::gather_text(element_type<T>, 0) + on_gpu::gather_text(element_type<T>, known);
    std::vector<std::uint32_t> positions(50);
    for (std::size_t i = 0; i < positions.size(); ++i) positions[i] = static_cast<std::uint32_t>(i * 37 % 50);
    const StepCounters counters{1, 2, 13};
    const std::size_t records = 21;
    for (const auto& device : devices()) {
        const auto module = device->compile(text);
        for (const std::size_t elements : {std::size_t{1}, std::size_t{7}, std::size_t{8}, known, std::size_t{100}})
            for (const std::size_t shift : {0, 1}) {  // addresses that allow no whole packs
                INFO(elements << " elements, " << device->options().threads << " threads");
                std::vector<T> from(50 * elements + shift), to(records * elements + 1, T(-1));
                for (std::size_t i = 0; i < from.size(); ++i) from[i] = static_cast<T>(i);
                const on_gpu::GatherWords words{from.data() + shift, to.data(), positions.data(),
                                             &counters,           records,   static_cast<long long>(elements)};
                for (const std::size_t constant : {std::size_t{0}, known}) {
                    if (constant != 0 && constant != elements) continue;
                    std::fill(to.begin(), to.end(), T(-1));
                    device->launch({module->function(on_gpu::gather_name(element_type<T>, constant)),
                                    device->most_blocks(), device->threads(256), as_words(words), "gather"});
                    bool right = to.back() == T(-1);
                    for (std::size_t i = 0; i < records; ++i)
                        for (std::size_t j = 0; j < elements; ++j)
                            right = right && to[i * elements + j] == from[shift + positions[13 + i] * elements + j];
                    REQUIRE(right);
                }
            }
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
