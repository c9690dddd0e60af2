// SPDX-License-Identifier: BSL-1.0
#pragma once
#include <sigma/core/any_function.hpp>
#include <sigma/core/owners.hpp>
#include <sigma/hook/archive.hpp>
#include <sigma/hook/types.hpp>
#include <sigma/hook/value.hpp>

#include <cstdint>
#include <limits>
#include <string>

namespace sigma {

class HookContext;

namespace detail {

/// What is kept of a step for hooks that fire after it, since it costs time.
struct Wants {
    bool gradients = false;  ///< of the loss in the parameters, as the optimizer gets them
    bool before = false;     ///< the parameters before the step

    constexpr bool any() const { return gradients || before; }
    friend constexpr Wants operator|(Wants a, Wants b) { return {a.gradients || b.gradients, a.before || b.before}; }
    friend constexpr bool operator==(Wants, Wants) = default;
};

/// For each value that something reads.
using ValueVisitor = AnyFunction<void(ValueHandle&)>;

/// A value that is made of others and keeps a state for that, as a mean over a window does. Equal ones in hooks that
/// are added together are one: they share the state, which is brought up to date once before the hooks that read it,
/// and again after a hook that computes values.
class Derived {
public:
    virtual ~Derived() = default;
    /// Without its state.
    virtual detail::Owned<Derived> clone() const = 0;
    virtual std::string text() const = 0;
    /// Does another, whose sources are shared, stand for the same?
    virtual bool same(const Derived& other) const = 0;
    /// What it is made of.
    virtual void visit_values(const ValueVisitor&) {}
    /// Once, when its hook is added.
    virtual void prepare(TrainerView&) {}
    virtual void update(HookContext& context) = 0;
    virtual double read(TrainerView&) { return result; }
    virtual void restart() = 0;
    virtual void archive(Archive&) {}
    /// The moments that it must see.
    virtual MomentSet moments() const = 0;
    /// What a step must keep when a hook that reads it can fire, and what each step must keep.
    virtual Wants wants() const { return {}; }
    virtual Wants always_wants() const { return {}; }

    double result = std::numeric_limits<double>::quiet_NaN();
    std::uint64_t version = 0;  ///< how often it was newly computed, for those that count it
};

/// What a step must keep for a value, as said above.
Wants wants_of(const ValueHandle& value);
Wants always_wants_of(const ValueHandle& value);

/// Do two values stand for the same, where their sources are shared?
inline bool same_value(const ValueHandle& a, const ValueHandle& b) { return a.id() == b.id(); }

}  // namespace detail

/// The type of a value that is made of others. `Self` has: `Sources`, `Parts` (what it is made of), and `moment`;
/// `versioned = true` where it counts how often it was computed.
template <class Self>
struct DerivedValue : detail::Comparisons<Self> {
    using Parts = Types<>;
    static constexpr bool computed = false, derived = true, larger_is_better = false;
    detail::ValueHandle handle;

    explicit DerivedValue(detail::SharedOwner<detail::Derived> derived_)
        : handle(detail::value_record<Self>, std::move(derived_)) {}
    std::string text() const { return handle.text(); }
};

}  // namespace sigma

#ifndef SIGMA_COMPILED
#include <sigma/hook/impl/derived.ipp>
#endif
