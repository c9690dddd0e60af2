// SPDX-License-Identifier: BSL-1.0
#pragma once

#include <cstddef>
#include <type_traits>
#include <utility>

namespace sigma::detail {

/// A std::unique_ptr without its header, which costs each program 25 MB of the compiler's memory. The type may be
/// incomplete except when an object is made.
template <class T>
class Owned {
public:
    Owned() = default;
    Owned(std::nullptr_t) {}
    explicit Owned(T* object) : Owned(object, [](T* x) { delete x; }) {}
    Owned(T* object, void (*destroy)(T*)) : object_(object), destroy_(destroy) {}
    Owned(Owned&& other) noexcept : object_(other.release()), destroy_(other.destroy_) {}
    /// Takes over an object of a class derived from T with a virtual destructor, also from a std::unique_ptr.
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

/// The number of owners of an object, and the function that destroys it.
struct Sharing {
    long owners = 1;
    void (*end)(Sharing*) = nullptr;

    void add() { __atomic_fetch_add(&owners, 1, __ATOMIC_RELAXED); }
    void drop() {
        if (__atomic_fetch_sub(&owners, 1, __ATOMIC_ACQ_REL) == 1) end(this);
    }
};
template <class T>
struct SharedObject : Sharing {
    T object;

    template <class... A>
    explicit SharedObject(A&&... arguments) : object(std::forward<A>(arguments)...) {
        end = [](Sharing* x) { delete static_cast<SharedObject*>(x); };
    }
};

/// A std::shared_ptr without its header, which costs each program 25 MB of the compiler's memory. It has no weak
/// pointers.
template <class T>
class SharedOwner {
public:
    constexpr SharedOwner() = default;
    constexpr SharedOwner(std::nullptr_t) {}
    constexpr SharedOwner(const SharedOwner& other) : object_(other.object_), sharing_(other.sharing_) {
        if (sharing_ != nullptr) sharing_->add();
    }
    constexpr SharedOwner(SharedOwner&& other) noexcept
        : object_(std::exchange(other.object_, nullptr)), sharing_(std::exchange(other.sharing_, nullptr)) {}
    template <class U>
        requires std::is_convertible_v<U*, T*>
    SharedOwner(SharedOwner<U> other) noexcept
        : object_(std::exchange(other.object_, nullptr)), sharing_(std::exchange(other.sharing_, nullptr)) {}
    /// Keeps another owning pointer: a std::shared_ptr or a std::unique_ptr.
    template <class Pointer>
        requires std::is_convertible_v<decltype(std::declval<const Pointer&>().get()), T*>
    SharedOwner(Pointer other) {
        if (other.get() == nullptr) return;
        object_ = other.get();
        sharing_ = new SharedObject<Pointer>(std::move(other));
    }
    /// Shares the ownership of an object and points to a part of it. If `whole` is null, it points without owning.
    SharedOwner(SharedOwner<const void> whole, T* part) noexcept
        : object_(part), sharing_(std::exchange(whole.sharing_, nullptr)) {}
    constexpr SharedOwner& operator=(SharedOwner other) noexcept {
        std::swap(object_, other.object_);
        std::swap(sharing_, other.sharing_);
        return *this;
    }
    constexpr ~SharedOwner() {
        if (sharing_ != nullptr) sharing_->drop();
    }
    template <class... A>
    static SharedOwner make(A&&... arguments) {
        SharedOwner made;
        auto* const object = new SharedObject<std::remove_const_t<T>>(std::forward<A>(arguments)...);
        made.object_ = &object->object;
        made.sharing_ = object;
        return made;
    }

    constexpr T* get() const { return object_; }
    constexpr std::add_lvalue_reference_t<T> operator*() const { return *object_; }
    constexpr T* operator->() const { return object_; }
    constexpr explicit operator bool() const { return object_ != nullptr; }
    friend bool operator==(const SharedOwner& a, const SharedOwner& b) { return a.object_ == b.object_; }
    friend bool operator==(const SharedOwner& a, std::nullptr_t) { return a.object_ == nullptr; }
    /// Returns whether there is no other owner. Meaningful only while no other thread can copy this handle.
    bool alone() const { return sharing_ != nullptr && __atomic_load_n(&sharing_->owners, __ATOMIC_ACQUIRE) == 1; }

private:
    template <class>
    friend class SharedOwner;

    T* object_ = nullptr;
    Sharing* sharing_ = nullptr;
};

}  // namespace sigma::detail
