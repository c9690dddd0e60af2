// SPDX-License-Identifier: BSL-1.0
#pragma once
#include <algorithm>
#include <cstddef>
#include <cstdint>
#include <functional>
#include <map>

namespace sigma::on_gpu {

/// The memory that unfinished work may use, as far as the caller can know. Concurrent copies must avoid it. The words
/// of a kernel show which memory it uses.
class HostTouches {
public:
    /// Records work that was issued after `mark`, the latest mark.
    void add(const void* data, std::size_t bytes, std::uint64_t mark) {
        if (bytes == 0) return;
        Touch& touch = touches_[static_cast<const std::byte*>(data)];
        touch = {std::max(touch.bytes, bytes), mark};
    }
    void forget(const void* data, std::size_t bytes) noexcept {
        const auto* const first = static_cast<const std::byte*>(data);
        touches_.erase(touches_.lower_bound(first), touches_.lower_bound(first + bytes));
    }
    /// Removes the work before `mark`, which has ended.
    void ended(std::uint64_t mark) {
        std::erase_if(touches_, [&](const auto& touch) { return touch.second.mark < mark; });
    }
    void clear() { touches_.clear(); }
    /// Returns whether work that was issued after `mark` uses any of these bytes.
    bool since(std::uint64_t mark, const void* data, std::size_t bytes) const {
        if (bytes == 0) return false;
        const auto* const first = static_cast<const std::byte*>(data);
        return std::any_of(touches_.begin(), touches_.lower_bound(first + bytes), [&](const auto& touch) {
            return touch.second.mark >= mark && touch.first + touch.second.bytes > first;
        });
    }

private:
    struct Touch {
        std::size_t bytes = 0;
        std::uint64_t mark = 0;
    };
    std::map<const std::byte*, Touch, std::less<>> touches_;
};

}  // namespace sigma::on_gpu
