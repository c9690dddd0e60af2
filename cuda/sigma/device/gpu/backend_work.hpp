// SPDX-License-Identifier: BSL-1.0
#pragma once
#include <sigma/device/gpu/backend.hpp>
#include <sigma/device/gpu/kernels/batch.hpp>
#include <sigma/device/gpu/program.hpp>

#include <algorithm>
#include <array>
#include <bit>

// What every backend does in the same way, with its own kernels.
namespace sigma::on_gpu {

namespace detail {

/// The module of gather and tally for both types of elements, compiled at first use: which cannot be captured.
inline Module& batch_module(Backend& backend, std::mutex& mutex, std::unique_ptr<Module>& own) {
    const std::lock_guard lock(mutex);
    if (!own) {
        std::string text;
        for (ElementType element : {ElementType::float32, ElementType::float64})
            text += gather_text(element, 0) + tally_text(element);
        own = backend.compile(text);
    }
    return *own;
}

}  // namespace detail

inline std::unique_ptr<AcceleratorProgram> Backend::make_program(const PlanView& plan) {
    return std::make_unique<Program>(*this, plan);
}

inline void Backend::gather(const GatherRecords& r) {
    const auto count = static_cast<long long>(r.elements) * static_cast<long long>(r.records);
    if (count <= 0) return;
    const GatherWords words{r.from, r.to, r.positions, r.counters, static_cast<long long>(r.records),
                            static_cast<long long>(r.elements)};
    const auto as_words = std::bit_cast<std::array<std::uint64_t, sizeof words / 8>>(words);
    constexpr long long each_block = 4 * 256;
    const long long blocks = std::clamp<long long>((count + each_block - 1) / each_block, 1, most_blocks());
    void* const kernel = detail::batch_module(*this, own_mutex_, own_).function(gather_name(r.element, 0));
    launch({kernel, blocks, threads(256), as_words, "gather records"});
}

inline void Backend::tally(LossTally* to, StepCounters* counters, const void* loss_of_step, ElementType element,
                           std::ptrdiff_t records) {
    const TallyWords words{to, counters, loss_of_step, static_cast<long long>(records)};
    const auto as_words = std::bit_cast<std::array<std::uint64_t, sizeof words / 8>>(words);
    void* const kernel = detail::batch_module(*this, own_mutex_, own_).function(tally_name(element));
    launch({kernel, 1, threads(32), as_words, "tally of the loss"});
}

}  // namespace sigma::on_gpu
