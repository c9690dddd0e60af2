// SPDX-License-Identifier: BSL-1.0
#pragma once
#include <algorithm>
#include <cstddef>
#include <memory>
#include <new>

namespace sigma::simd {

/// Memory that starts on a cache line and is never moved.
template <class T>
class Arena {
public:
    Arena() = default;
    explicit Arena(std::size_t elements) : data_(allocate(elements)), size_(elements) {
        std::fill_n(data_.get(), elements, T(0));
    }
    T* data() const { return data_.get(); }
    std::size_t size() const { return size_; }

private:
    struct Free {
        void operator()(T* p) const { ::operator delete(p, std::align_val_t{64}); }
    };
    static T* allocate(std::size_t elements) {
        return static_cast<T*>(::operator new(std::max<std::size_t>(elements, 1) * sizeof(T), std::align_val_t{64}));
    }
    std::unique_ptr<T, Free> data_;
    std::size_t size_ = 0;
};

}  // namespace sigma::simd
