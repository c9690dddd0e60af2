// SPDX-License-Identifier: BSL-1.0
#pragma once
#include <sigma/device/compute_group.hpp>

#include <mutex>

namespace sigma::detail {

/// A group that sums in host memory, in the order of its members, for devices that cannot exchange data directly.
class StagedGroup final : public ComputeGroup {
public:
    using ComputeGroup::ComputeGroup;
    ~StagedGroup() override { release(); }

    SIGMA_IMPL void all_reduce(std::span<void* const> arrays, std::size_t count, ElementType element) override;

private:
    std::mutex turn_;
    void* sum_ = nullptr;   // in host memory allocated by the first member, which copies access fastest
    void* next_ = nullptr;  // the array to add
    std::size_t bytes_ = 0;

    template <class T>
    void sum_of(std::span<void* const> arrays, std::size_t count) {
        const std::size_t bytes = count * sizeof(T);
        make_room(bytes);
        T* const all = static_cast<T*>(sum_);
        const T* const next = static_cast<const T*>(next_);
        members()[0]->download(all, arrays[0], bytes);
        for (std::size_t m = 1; m < size(); ++m) {
            members()[m]->download(next_, arrays[m], bytes);
            for (std::size_t i = 0; i < count; ++i) all[i] += next[i];
        }
        for (std::size_t m = 0; m < size(); ++m) members()[m]->upload(arrays[m], all, bytes);
    }
    void make_room(std::size_t bytes);
    void release() noexcept;
};

}  // namespace sigma::detail

#ifndef SIGMA_COMPILED
#include <sigma/device/impl/staged_group.ipp>
#endif
