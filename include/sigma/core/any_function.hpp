// SPDX-License-Identifier: BSL-1.0
#pragma once
#include <cstddef>
#include <new>
#include <type_traits>
#include <utility>

namespace sigma::detail {

[[noreturn]] void throw_empty_function();

template <class Signature>
class AnyFunction;

/// A std::function without its header: a copy of any function, or empty. Small trivial functions lie within the object.
/// Calling an empty one throws ArgumentError.
template <class R, class... A>
class AnyFunction<R(A...)> {
    union Place {
        std::byte inside[2 * sizeof(void*)];
        void* heap;
    };
    /// True if a value of this type may be null: a pointer or a std::function, but not the name of a function.
    template <class F>
    static constexpr bool can_be_empty =
        std::is_pointer_v<F> || (std::is_class_v<F> && requires { F(nullptr) == nullptr; });
    template <class F>
    static constexpr bool lies_inside =
        sizeof(F) <= sizeof(Place) && alignof(F) <= alignof(Place) && std::is_trivially_copyable_v<F>;

public:
    AnyFunction() = default;
    AnyFunction(std::nullptr_t) {}
    template <class F, class Kept = std::decay_t<F>>
        requires(!std::is_same_v<Kept, AnyFunction> && !std::is_same_v<Kept, std::nullptr_t> &&
                 std::is_invocable_r_v<R, Kept&, A...> && std::is_copy_constructible_v<Kept>)
    AnyFunction(F&& f) {
        if constexpr (can_be_empty<std::remove_cvref_t<F>>)
            if (f == nullptr) return;
        if constexpr (lies_inside<Kept>) {
            ::new (static_cast<void*>(place_.inside)) Kept(std::forward<F>(f));
        } else {
            place_.heap = new Kept(std::forward<F>(f));
            keep_ = [](void* kept, bool copy) -> void* {
                if (copy) return new Kept(*static_cast<const Kept*>(kept));
                delete static_cast<Kept*>(kept);
                return nullptr;
            };
        }
        call_ = [](Place& place, A&&... a) -> R {
            Kept& kept = *static_cast<Kept*>(lies_inside<Kept> ? static_cast<void*>(place.inside) : place.heap);
            if constexpr (std::is_void_v<R>) static_cast<void>(kept(std::forward<A>(a)...));
            else return kept(std::forward<A>(a)...);
        };
    }
    AnyFunction(const AnyFunction& other) : place_(other.place_), call_(other.call_), keep_(other.keep_) {
        if (keep_ != nullptr) place_.heap = keep_(other.place_.heap, true);
    }
    AnyFunction(AnyFunction&& other) noexcept
        : place_(other.place_), call_(std::exchange(other.call_, nullptr)), keep_(std::exchange(other.keep_, nullptr)) {
    }
    AnyFunction& operator=(AnyFunction other) noexcept {
        std::swap(place_, other.place_);
        std::swap(call_, other.call_);
        std::swap(keep_, other.keep_);
        return *this;
    }
    ~AnyFunction() {
        if (keep_ != nullptr) keep_(place_.heap, false);
    }

    explicit operator bool() const { return call_ != nullptr; }
    R operator()(A... a) const {
        if (call_ == nullptr) throw_empty_function();
        return call_(place_, std::forward<A>(a)...);
    }

private:
    mutable Place place_{{}};
    R (*call_)(Place&, A&&...) = nullptr;
    void* (*keep_)(void*, bool copy) = nullptr;  ///< copies or deletes the function on the heap
};

}  // namespace sigma::detail

#ifndef SIGMA_COMPILED
#include <sigma/core/impl/any_function.ipp>
#endif
