// SPDX-License-Identifier: BSL-1.0
#pragma once
#include <sigma/device/accelerator_group.hpp>

#include <mutex>

namespace sigma {

/// A group that sums through the host's memory, in the order of its members: for devices that cannot reach each other.
class StagedGroup final : public AcceleratorGroup {
public:
    using AcceleratorGroup::AcceleratorGroup;
    ~StagedGroup() override { release(); }

    void sum(std::span<void* const> arrays, std::size_t count, ElementType element) override {
        const std::lock_guard turn(turn_);
        if (arrays.size() != size())
            throw ArgumentError("sum over a group of devices", sentence(size(), " arrays"), sentence(arrays.size()));
        if (element == ElementType::float32)
            sum_of<float>(arrays, count);
        else
            sum_of<double>(arrays, count);
    }

private:
    std::mutex turn_;
    void* sum_ = nullptr;   // in memory of the first member's host side, which copies read and write fastest
    void* next_ = nullptr;  // the array that is added
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
    void make_room(std::size_t bytes) {
        if (bytes <= bytes_) return;
        release();
        sum_ = members()[0]->allocate_host(bytes);
        next_ = members()[0]->allocate_host(bytes);
        bytes_ = bytes;
    }
    void release() noexcept {
        for (void** const memory : {&sum_, &next_})
            if (*memory) members()[0]->release_host(std::exchange(*memory, nullptr));
        bytes_ = 0;
    }
};

}  // namespace sigma
