// SPDX-License-Identifier: BSL-1.0
#pragma once
#include <memory>
#include <mutex>
#include <utility>

namespace sigma::detail {

/// A value that is replaced as a whole. Readers keep what they took; neither they nor writers ever wait for more than
/// the copy of a pointer, only writers that change (instead of replace) wait for each other.
/// A mutex, not std::atomic<std::shared_ptr>: libstdc++ 12's is no lock-free one either, and TSan does not understand
/// it.
template <class T>
class Published {
public:
    Published() : value_(std::make_shared<const T>()) {}
    explicit Published(std::shared_ptr<const T> value) : value_(std::move(value)) {}

    std::shared_ptr<const T> load() const {
        const std::lock_guard lock(pointer_);
        return value_;
    }
    void store(std::shared_ptr<const T> value) {
        const std::lock_guard lock(pointer_);
        value_.swap(value);
    }  // the lock is released before `value`, the old one, ends

    /// Replaces the value by a changed copy, if `change` returns true.
    template <class Change>
    bool update(Change change) {
        const std::lock_guard lock(changing_);
        auto fresh = std::make_shared<T>(*load());
        if (!change(*fresh)) return false;
        store(std::move(fresh));
        return true;
    }

private:
    mutable std::mutex pointer_;
    std::mutex changing_;
    std::shared_ptr<const T> value_;
};

}  // namespace sigma::detail
