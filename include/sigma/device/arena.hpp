// SPDX-License-Identifier: BSL-1.0
#pragma once
#include <sigma/core/memory.hpp>
#include <sigma/core/owners.hpp>

#include <cstddef>
#include <cstdint>
#include <new>

namespace sigma::detail {

/// Memory that is aligned to cache lines and never moved.
template <class T>
class Arena {
public:
    Arena() = default;
    /// Allocates zeroed elements. Throws MemoryError with `what` in its text.
    explicit Arena(std::size_t elements, const char* what = "working memory")
        : data_(detail::in_memory([&] { detail::refuse_memory(what, elements, sizeof(T)); },
                                  [&] { return allocate(elements); })),
          size_(elements) {
        for (std::size_t i = 0; i < elements; ++i) data_.get()[i] = T(0);
    }
    T* data() const { return data_.get(); }
    std::size_t size() const { return size_; }

private:
    static detail::Owned<T> allocate(std::size_t elements) {
        if (elements > SIZE_MAX / sizeof(T)) throw std::bad_alloc();
        const std::size_t bytes = (elements > 0 ? elements : 1) * sizeof(T);
        auto* const memory = ::operator new(bytes, std::align_val_t{64});
        detail::prefer_huge_pages(memory, bytes);
        return {static_cast<T*>(memory), [](T* p) { ::operator delete(p, std::align_val_t{64}); }};
    }
    detail::Owned<T> data_;
    std::size_t size_ = 0;
};

}  // namespace sigma::detail
