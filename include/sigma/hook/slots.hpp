// SPDX-License-Identifier: BSL-1.0
#pragma once
#include <sigma/core/relaxed.hpp>
#include <sigma/core/signal.hpp>
#include <sigma/hook/types.hpp>

#include <array>
#include <cstdint>
#include <limits>
#include <memory>

namespace sigma::detail {

/// Where a computed value lies. Written by one thread, read by any.
struct Slot {
    Relaxed<double> value = std::numeric_limits<double>::quiet_NaN();
    Signal<std::uint64_t> version;  ///< how often it was computed

    void publish(double x);
    void restart();
};

/// One slot for each computed value of hooks that are added together.
template <class Keys>
class Slots {
public:
    template <class V>
    Slot& of() {
        static_assert(type_index<V, Keys> >= 0, "no hook of this group names the value");
        return (*slots_)[static_cast<std::size_t>(type_index<V, Keys>)];
    }
    Slot& operator[](int i) { return (*slots_)[static_cast<std::size_t>(i)]; }
    /// For readers that may outlive the hooks.
    template <class V>
    std::shared_ptr<const Slot> share() {
        return {slots_, &of<V>()};
    }
    static constexpr int size() { return Keys::count; }

private:
    using Array = std::array<Slot, static_cast<std::size_t>(Keys::count)>;
    std::shared_ptr<Array> slots_ = std::make_shared<Array>();
};

}  // namespace sigma::detail

#ifndef SIGMA_COMPILED
#include <sigma/hook/impl/slots.ipp>
#endif
