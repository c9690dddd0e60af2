// SPDX-License-Identifier: BSL-1.0
#pragma once

namespace sigma::detail {

/// A number that one thread changes and any may read: as cheap as a plain one, and no data race.
template <class T>
class Relaxed {
public:
    Relaxed(T x = T{}) : value_(x) {}
    Relaxed(const Relaxed& other) : value_(T(other)) {}
    Relaxed& operator=(const Relaxed& other) { return *this = T(other); }
    Relaxed& operator=(T x) {
        __atomic_store(&value_, &x, __ATOMIC_RELAXED);
        return *this;
    }
    operator T() const {
        T x;
        __atomic_load(&value_, &x, __ATOMIC_RELAXED);
        return x;
    }
    Relaxed& operator++() { return *this = static_cast<T>(T(*this) + 1); }
    Relaxed& operator+=(T x) { return *this = static_cast<T>(T(*this) + x); }

private:
    alignas(sizeof(T)) T value_;  // std::atomic<T> without its header
};

}  // namespace sigma::detail
