// SPDX-License-Identifier: BSL-1.0
#pragma once
#include <atomic>

namespace sigma::detail {

/// A number that one thread changes and any may read: as cheap as a plain one, and no data race.
template <class T>
class Relaxed {
public:
    Relaxed(T x = T{}) : value_(x) {}
    Relaxed(const Relaxed& other) : value_(T(other)) {}
    Relaxed& operator=(const Relaxed& other) { return *this = T(other); }
    Relaxed& operator=(T x) {
        value_.store(x, std::memory_order_relaxed);
        return *this;
    }
    operator T() const { return value_.load(std::memory_order_relaxed); }
    Relaxed& operator++() { return *this = static_cast<T>(T(*this) + 1); }
    Relaxed& operator+=(T x) { return *this = static_cast<T>(T(*this) + x); }

private:
    std::atomic<T> value_;
};

}  // namespace sigma::detail
