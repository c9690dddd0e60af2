// SPDX-License-Identifier: BSL-1.0
#pragma once

#include <sigma/core/config.hpp>
#include <sigma/device/host_memory_device.hpp>

#include <cmath>
#include <cstring>
#include <limits>
#include <new>

namespace sigma::detail {

// ---- memory ----

SIGMA_IMPL void* HostMemoryDevice::allocate(std::size_t bytes, const std::string& what) {
    void* const data = ::operator new(bytes > 0 ? bytes : 1, std::align_val_t{256}, std::nothrow);
    if (data == nullptr) throw DeviceMemoryError(name(), what, bytes, 0);
    std::memset(data, 0, bytes);
    return data;
}
SIGMA_IMPL void HostMemoryDevice::release(void* data) noexcept { ::operator delete(data, std::align_val_t{256}); }
SIGMA_IMPL std::size_t HostMemoryDevice::free_memory() const { return std::numeric_limits<std::size_t>::max(); }
SIGMA_IMPL void* HostMemoryDevice::allocate_host(std::size_t bytes) { return allocate(bytes, "memory for copies"); }

/// Copies at once; during a capture it records a copy of the values that `from` has at the replay.
SIGMA_IMPL void HostMemoryDevice::upload(void* to, const void* from, std::size_t bytes) { copy(to, from, bytes); }
SIGMA_IMPL std::uint64_t HostMemoryDevice::upload_ahead(void* to, const void* from, std::size_t bytes, std::uint64_t) {
    copy(to, from, bytes);
    return 0;
}
SIGMA_IMPL void HostMemoryDevice::download(void* to, const void* from, std::size_t bytes) {
    if (bytes > 0) std::memcpy(to, from, bytes);  // both may be null for an empty array
}
SIGMA_IMPL void HostMemoryDevice::copy(void* to, const void* from, std::size_t bytes) {
    issue([=] {
        if (bytes > 0) std::memcpy(to, from, bytes);
    });
}
SIGMA_IMPL void HostMemoryDevice::clear(void* to, std::size_t bytes) {
    issue([=] {
        if (bytes > 0) std::memset(to, 0, bytes);
    });
}

// ---- work ----

SIGMA_IMPL detail::Owned<CapturedGraph> HostMemoryDevice::capture(const detail::AnyFunction<void()>& work) {
    struct Recorded final : CapturedGraph {
        std::vector<detail::AnyFunction<void()>> all;
        void run() override {
            for (const auto& each : all) each();
        }
    };
    auto recorded = detail::make_owned<Recorded>();
    recorded_ = &recorded->all;
    const struct End {
        HostMemoryDevice& device;
        ~End() { device.recorded_ = nullptr; }
    } end{*this};
    work();
    return recorded;
}

SIGMA_IMPL void HostMemoryDevice::gather(const GatherRecords& records) {
    for (const GatherRecords::Section& s : records.sections)
        issue([s, positions = records.positions, counters = records.counters, count = records.records,
               bytes = s.elements * bytes_of(records.element)] {
            const auto* const from = static_cast<const char*>(s.from);
            auto* const to = static_cast<char*>(s.to);
            for (std::size_t i = 0; i < static_cast<std::size_t>(count); ++i)
                std::memcpy(to + i * bytes, from + positions[counters->first + i] * bytes, bytes);
        });
}

SIGMA_IMPL void HostMemoryDevice::accumulate_loss(LossAccumulator* to, StepCounters* counters, const void* loss_of_step,
                                                  ElementType element, std::ptrdiff_t records) {
    issue([=] {
        const double value = element == ElementType::float32 ? double{*static_cast<const float*>(loss_of_step)}
                                                             : *static_cast<const double*>(loss_of_step);
        to->total += value * static_cast<double>(records);
        to->records += static_cast<std::uint64_t>(records);
        if (!std::isfinite(value) && to->first_non_finite == 0) to->first_non_finite = counters->step;
        ++counters->step;
        counters->first += static_cast<std::uint64_t>(records);
    });
}

}  // namespace sigma::detail
