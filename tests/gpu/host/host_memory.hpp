// SPDX-License-Identifier: BSL-1.0
#pragma once
#include <sigma/device/compute_device.hpp>

#include <cstddef>
#include <cstring>
#include <functional>
#include <map>
#include <new>
#include <string>

namespace sigma::on_gpu {

/// Memory of an emulated device. It records allocations, so that foreign addresses are detected.
class HostMemory {
public:
    static constexpr std::size_t alignment = 256;

    explicit HostMemory(std::size_t limit) : limit_(limit) {}
    HostMemory(const HostMemory&) = delete;
    HostMemory& operator=(const HostMemory&) = delete;
    ~HostMemory() {
        for (const auto& [data, bytes] : sizes_) free(data);
    }

    /// Allocates zeroed memory, also for 0 bytes. Throws DeviceMemoryError.
    void* allocate(std::size_t bytes, const std::string& what) {
        if (bytes > limit_ - used_) throw DeviceMemoryError("host", what, bytes, limit_ - used_);
        void* const data = ::operator new(bytes ? bytes : 1, std::align_val_t{alignment}, std::nothrow);
        if (!data) throw DeviceMemoryError("host", what, bytes, limit_ - used_);
        std::memset(data, 0, bytes);
        sizes_.emplace(static_cast<std::byte*>(data), bytes);
        used_ += bytes;
        return data;
    }
    /// Releases memory. Returns whether it was allocated here.
    bool release(void* data) noexcept {
        const auto found = sizes_.find(static_cast<std::byte*>(data));
        if (found == sizes_.end()) return data == nullptr;
        used_ -= found->second;
        free(found->first);
        sizes_.erase(found);
        return true;
    }
    /// Returns the bytes of an allocation; 0 for another address.
    std::size_t size(const void* data) const noexcept {
        const auto found = sizes_.find(static_cast<const std::byte*>(data));
        return found == sizes_.end() ? 0 : found->second;
    }
    std::size_t free_bytes() const { return limit_ - used_; }
    std::size_t used_bytes() const { return used_; }

    bool contains(const void* from, std::size_t bytes) const {
        const auto* const first = static_cast<const std::byte*>(from);
        const auto after = sizes_.upper_bound(first);
        if (after == sizes_.begin()) return false;
        const auto& [data, size] = *std::prev(after);
        const auto offset = static_cast<std::size_t>(first - data);
        return offset <= size && bytes <= size - offset;
    }
    /// Throws DeviceError unless all of the bytes are in one allocation.
    void examine(const void* from, std::size_t bytes, const char* operation, const char* what) const {
        if (bytes == 0 || contains(from, bytes)) return;
        throw DeviceError(sentence("device 'host', ", operation, ": expected ", bytes, " bytes of ", what,
                                   ", found memory that is not all within one allocation"));
    }

private:
    std::size_t limit_, used_ = 0;
    std::map<std::byte*, std::size_t, std::less<>> sizes_;  // less<>, to find const addresses

    static void free(void* data) noexcept { ::operator delete(data, std::align_val_t{alignment}); }
};

}  // namespace sigma::on_gpu
