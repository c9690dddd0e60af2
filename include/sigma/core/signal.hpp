// SPDX-License-Identifier: BSL-1.0
#pragma once

namespace sigma::detail {

/// A number by which one thread tells others that what it wrote before is there: who reads the number may read that.
template <class T>
class Signal {
public:
    Signal(T x = T{}) : value_(x) {}
    Signal(const Signal&) = delete;
    Signal& operator=(const Signal&) = delete;
    Signal& operator=(T x) {
        __atomic_store(&value_, &x, __ATOMIC_RELEASE);
        return *this;
    }
    operator T() const {
        T x;
        __atomic_load(&value_, &x, __ATOMIC_ACQUIRE);
        return x;
    }

private:
    alignas(sizeof(T)) T value_;  // std::atomic<T> without its header
};

}  // namespace sigma::detail
