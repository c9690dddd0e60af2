// SPDX-License-Identifier: BSL-1.0
#pragma once
#include <sigma/core/any_function.hpp>
#include <sigma/core/owners.hpp>
#include <sigma/device/compute_device.hpp>

#include <cstddef>
#include <cstdint>
#include <string>
#include <vector>

namespace sigma::detail {

/// A device that uses host memory and works synchronously: everything except its programs.
class HostMemoryDevice : public ComputeDevice {
public:
    bool shares_host_memory() const override { return true; }

    SIGMA_IMPL void* allocate(std::size_t bytes, const std::string& what) override;
    SIGMA_IMPL void release(void* data) noexcept override;
    /// Returns a number larger than any request, because the system reports a lack of memory.
    SIGMA_IMPL std::size_t free_memory() const override;
    SIGMA_IMPL void* allocate_host(std::size_t bytes) override;
    void release_host(void* data) noexcept override { release(data); }
    SIGMA_IMPL void upload(void* to, const void* from, std::size_t bytes) override;
    std::uint64_t mark() override { return 0; }
    SIGMA_IMPL std::uint64_t upload_ahead(void* to, const void* from, std::size_t bytes, std::uint64_t after) override;
    void wait(std::uint64_t) override {}
    SIGMA_IMPL void download(void* to, const void* from, std::size_t bytes) override;
    SIGMA_IMPL void copy(void* to, const void* from, std::size_t bytes) override;
    SIGMA_IMPL void clear(void* to, std::size_t bytes) override;
    void synchronize() override {}

    SIGMA_IMPL detail::Owned<CapturedGraph> capture(const detail::AnyFunction<void()>& work) override;
    SIGMA_IMPL void gather(const GatherRecords& records) override;
    SIGMA_IMPL void accumulate_loss(LossAccumulator* to, StepCounters* counters, const void* loss_of_step,
                                    ElementType element, std::ptrdiff_t records) override;

    /// Returns whether a capture is made, which has then recorded the work.
    template <class Work>
    bool records(const Work& work) {
        if (recorded_ == nullptr) return false;
        recorded_->push_back(work);
        return true;
    }
    /// Runs the work, or records it during a capture.
    template <class Work>
    void issue(const Work& work) {
        if (!records(work)) work();
    }

private:
    std::vector<detail::AnyFunction<void()>>* recorded_ = nullptr;
};

}  // namespace sigma::detail

#ifndef SIGMA_COMPILED
#include <sigma/device/impl/host_memory_device.ipp>
#endif
