// SPDX-License-Identifier: BSL-1.0
#pragma once

#include <sigma/core/owners.hpp>

#include <cstdint>

namespace sigma {

/// A switch for other threads: what trains looks at it, anybody sets it. Copies are handles of one switch. It has a
/// position, on or off, and pulses, which stay until somebody takes them. No function waits or allocates.
class Toggle {
public:
    explicit Toggle(bool on = false);

    void set(bool on) const noexcept;
    /// Turns on to off and off to on; returns the new position.
    bool flip() const noexcept;
    bool state() const noexcept;

    void pulse() const noexcept;
    /// Takes one pulse, whoever gave it; false if none is left. Each pulse is taken once.
    bool take() const noexcept;
    /// Pulses given so far, taken or not: for several readers that are each to see all of them.
    std::uint64_t pulses() const noexcept;

private:
    struct Position;
    detail::SharedOwner<Position> shared_;
};

}  // namespace sigma

#ifndef SIGMA_COMPILED
#include <sigma/core/impl/toggle.ipp>
#endif
