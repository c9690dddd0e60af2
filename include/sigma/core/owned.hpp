// SPDX-License-Identifier: BSL-1.0
#pragma once
#include <cstddef>
#include <type_traits>
#include <utility>

namespace sigma::detail {

/// std::unique_ptr without its header, which costs each program 25 MB of the compiler's memory: owns an object, or
/// none. The type may be incomplete wherever it is not made.
template <class T>
class Owned {
public:
    Owned() = default;
    Owned(std::nullptr_t) {}
    explicit Owned(T* object) : Owned(object, [](T* x) { delete x; }) {}
    Owned(T* object, void (*destroy)(T*)) : object_(object), destroy_(destroy) {}
    Owned(Owned&& other) noexcept : object_(other.release()), destroy_(other.destroy_) {}
    /// From a class derived of T, whose destructor is virtual; from std::unique_ptr, too.
    template <class Other>
        requires(!std::is_lvalue_reference_v<Other> &&
                 std::is_convertible_v<decltype(std::declval<Other&>().release()), T*>)
    Owned(Other&& other) : Owned(static_cast<T*>(other.release())) {}
    Owned& operator=(Owned other) noexcept {
        std::swap(object_, other.object_);
        std::swap(destroy_, other.destroy_);
        return *this;
    }
    ~Owned() {
        if (object_ != nullptr) destroy_(object_);
    }

    T* get() const { return object_; }
    std::add_lvalue_reference_t<T> operator*() const { return *object_; }
    T* operator->() const { return object_; }
    explicit operator bool() const { return object_ != nullptr; }
    friend bool operator==(const Owned& a, std::nullptr_t) { return a.object_ == nullptr; }
    T* release() { return std::exchange(object_, nullptr); }
    void reset() { *this = Owned(); }

private:
    T* object_ = nullptr;
    void (*destroy_)(T*) = nullptr;
};

template <class T, class... A>
Owned<T> make_owned(A&&... arguments) {
    return Owned<T>(new T(std::forward<A>(arguments)...));
}

}  // namespace sigma::detail
