// SPDX-License-Identifier: BSL-1.0
#pragma once
#include <sigma/device/gpu/backend.hpp>
#include <sigma/device/gpu/kernels/batch.hpp>
#include <sigma/device/gpu/program.hpp>

#include <algorithm>
#include <array>
#include <bit>

// Functions that are common to all backends.
namespace sigma::on_gpu {

/// Returns the module of gather and accumulate_loss for both types of elements. It is compiled at first use, which
/// cannot be captured.
inline Module& Backend::own() {
    const std::lock_guard lock(own_turn_);
    if (!own_) {
        std::string text;
        for (sigma::detail::ElementType element :
             {sigma::detail::ElementType::float32, sigma::detail::ElementType::float64})
            text += gather_text(element) + accumulate_loss_text(element);
        own_ = compile(text);
    }
    return *own_;
}

inline sigma::detail::Owned<sigma::detail::DeviceProgram> Backend::make_program(
    const sigma::detail::ProgramSource& source) {
    return sigma::detail::make_owned<Program>(*this, source.plan, source.layers);
}

inline void Backend::gather(const sigma::detail::GatherRecords& r) {
    constexpr std::size_t most = GatherWords::most_sections;
    for (std::size_t first = 0; first < r.sections.size(); first += most) {
        GatherWords words{r.positions, r.counters, static_cast<long long>(r.records), {}};
        long long count = 0;  // steps of the largest section
        for (std::size_t s = first; s < std::min(first + most, r.sections.size()); ++s) {
            const sigma::detail::GatherRecords::Section& of = r.sections[s];
            words.section[s - first] = {of.from, of.to, static_cast<long long>(of.elements)};
            count = std::max(count, static_cast<long long>(of.elements) * words.records);
        }
        if (count <= 0) continue;
        const auto as_words = std::bit_cast<std::array<std::uint64_t, sizeof words / 8>>(words);
        constexpr long long each_block = 4 * 256;
        const long long blocks = std::clamp<long long>((count + each_block - 1) / each_block, 1, most_blocks());
        launch({own().function(gather_name(r.element)), blocks, threads(256), as_words, "gather records"});
    }
}

inline void Backend::accumulate_loss(sigma::detail::LossAccumulator* to, sigma::detail::StepCounters* counters,
                                     const void* loss_of_step, sigma::detail::ElementType element,
                                     std::ptrdiff_t records) {
    const AccumulateLossWords words{to, counters, loss_of_step, static_cast<long long>(records)};
    const auto as_words = std::bit_cast<std::array<std::uint64_t, sizeof words / 8>>(words);
    void* const kernel = own().function(accumulate_loss_name(element));
    launch({kernel, 1, threads(32), as_words, "loss of the step"});
}

}  // namespace sigma::on_gpu
