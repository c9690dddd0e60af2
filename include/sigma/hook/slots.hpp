// SPDX-License-Identifier: BSL-1.0
#pragma once
#include <sigma/core/any_function.hpp>
#include <sigma/core/owners.hpp>
#include <sigma/core/threads.hpp>
#include <sigma/hook/value.hpp>

#include <cstdint>
#include <limits>
#include <vector>

namespace sigma::detail {

/// Where a computed value lies. Written by one thread, read by any.
struct Slot {
    Relaxed<double> value = std::numeric_limits<double>::quiet_NaN();
    Signal<std::uint64_t> version;  ///< how often it was computed

    void publish(double x);
    void restart();
};

/// Where the values of hooks that are added together come from: one slot for each that they compute, and for each of
/// one's own the function that reads it off a trainer of its type.
class Slots {
public:
    struct Reader {
        const void* id;
        AnyFunction<double()> read;
    };

    Slots(const ValueRecord* const* computed, int count, std::vector<Reader> readers);

    int size() const { return count_; }
    Slot& operator[](int i) { return slots_.get()[i]; }
    const ValueRecord& record(int i) const { return *computed_[i]; }
    /// Throws ArgumentError where no hook of the group names the value.
    Slot& of(const ValueRecord& computed);
    /// For readers that may outlive the hooks.
    SharedOwner<const Slot> share(int i) const { return {slots_, &slots_.get()[i]}; }
    /// A live value.
    double read(const ValueRecord& live, const TrainerView& trainer) const;

private:
    const ValueRecord* const* computed_;
    int count_;
    SharedOwner<Slot> slots_;  ///< the first of them
    std::vector<Reader> readers_;
};

}  // namespace sigma::detail

#ifndef SIGMA_COMPILED
#include <sigma/hook/impl/slots.ipp>
#endif
