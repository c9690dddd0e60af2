// SPDX-License-Identifier: BSL-1.0
#pragma once
/// @file
/// Moments of a run, and what a value is. Included by `<sigma/sigma.hpp>`.
#include <sigma/core/any_function.hpp>
#include <sigma/core/owners.hpp>
#include <sigma/hook/archive.hpp>

#include <array>
#include <concepts>
#include <cstdint>
#include <string>
#include <string_view>
#include <type_traits>

namespace sigma {

/// The kinds of events in a training run at which hooks are checked.
///
/// @see MomentCounts, every, at
enum class Moment {
    iteration,  ///< the end of a step, when the parameters are updated
    epoch,      ///< the end of an epoch, after its last iteration
    start,      ///< the beginning of a run, before its first step
    stop,       ///< the end of a run, unless an exception ends it
    pause,      ///< a running trainer pauses; the scale is `hold`
    resume,     ///< a paused trainer continues
    reset,      ///< the trainer has returned to its initial state
};

namespace detail {

inline constexpr int moment_count = 7;

constexpr std::string_view text(Moment m) {
    constexpr std::string_view words[] = {"iteration", "epoch", "start", "stop", "pause", "resume", "reset"};
    return words[static_cast<int>(m)];
}

}  // namespace detail

/// The number of times that each kind of moment has occurred since the trainer was made or reset.
///
/// @par Example
/// @code
/// const std::uint64_t epochs = trainer.counts()[Moment::epoch];
/// @endcode
class MomentCounts {
public:
    /// Returns how often a kind of moment has occurred.
    /// @param moment  kind of moment
    std::uint64_t operator[](Moment moment) const { return counts_[static_cast<std::size_t>(moment)]; }
    /// @overload
    /// @param moment  kind of moment
    std::uint64_t& operator[](Moment moment) { return counts_[static_cast<std::size_t>(moment)]; }

private:
    std::array<std::uint64_t, detail::moment_count> counts_{};
};

/// A set of kinds of moments.
///
/// @par Example
/// @code
/// const MomentSet ends = MomentSet(Moment::epoch) | Moment::stop;
/// const bool found = ends.has(Moment::stop);  // true
/// @endcode
struct MomentSet {
    unsigned bits = 0;  ///< one bit for each kind of moment

    /// Constructs an empty set.
    constexpr MomentSet() = default;
    /// Constructs a set of one kind of moment.
    /// @param moment  kind of moment
    constexpr MomentSet(Moment moment) : bits(1u << static_cast<int>(moment)) {}
    /// Returns whether the set contains a kind of moment.
    /// @param moment  kind of moment
    /// @return true if so
    constexpr bool has(Moment moment) const { return (bits >> static_cast<int>(moment) & 1) != 0; }
    /// Returns whether the set contains nothing.
    /// @return true if so
    constexpr bool empty() const { return bits == 0; }
    /// Returns the union of two sets.
    /// @param a  the first set
    /// @param b  the second set
    /// @return the kinds of moments in one or both sets
    friend constexpr MomentSet operator|(MomentSet a, MomentSet b) {
        a.bits |= b.bits;
        return a;
    }
    /// Returns whether two sets contain the same kinds of moments.
    friend constexpr bool operator==(MomentSet, MomentSet) = default;
};

/// A list of types: the values that a criterion or an action reads or computes.
///
/// @tparam V  types of values, such as `LossValue` or `Computed<"gap">`
///
/// @see Action
template <class... V>
struct Types {
    /// @cond internal
    static constexpr int count = sizeof...(V);
    template <class W>
    static constexpr bool has = (std::is_same_v<V, W> || ...);
    /// @endcond
};

namespace detail {

template <class... Lists>
struct JoinLists {
    using type = Types<>;
};
template <class... V>
struct JoinLists<Types<V...>> {
    using type = Types<V...>;
};
template <class... V, class... W, class... Rest>
struct JoinLists<Types<V...>, Types<W...>, Rest...> : JoinLists<Types<V..., W...>, Rest...> {};
template <class... Lists>
using JoinedTypes = typename JoinLists<Lists...>::type;

/// The types of a list without repetitions, in order of first appearance.
template <class List, class Seen = Types<>>
struct Unique {
    using type = Seen;
};
template <class V, class... Rest, class... S>
struct Unique<Types<V, Rest...>, Types<S...>>
    : Unique<Types<Rest...>, std::conditional_t<Types<S...>::template has<V>, Types<S...>, Types<S..., V>>> {};

template <class V, class List>
inline constexpr int type_index = -1;
template <class V, class First, class... Rest>
inline constexpr int type_index<V, Types<First, Rest...>> =
    std::is_same_v<V, First>            ? 0
    : type_index<V, Types<Rest...>> < 0 ? -1
                                        : 1 + type_index<V, Types<Rest...>>;

template <int i, class List>
struct Nth;
template <class First, class... Rest>
struct Nth<0, Types<First, Rest...>> {
    using type = First;
};
template <int i, class First, class... Rest>
struct Nth<i, Types<First, Rest...>> : Nth<i - 1, Types<Rest...>> {};
template <int i, class List>
using NthType = typename Nth<i, List>::type;

class TrainerValues;
class TrainerParameters;
}  // namespace detail
class HookContext;

/// A number of a running trainer that hooks can read: `loss`, `accuracy`, `learning_rate`, `average(loss, 100)`.
///
/// The type has the name of the number, when it is updated, and whether a hook computes it.
///
/// @see LiveValue, Computed, DerivedValue
template <class V>
concept AnyValue = requires(const V& v) {
    { V::moment } -> std::convertible_to<Moment>;
    { V::computed } -> std::convertible_to<bool>;
    { v.text() } -> std::convertible_to<std::string>;
    typename V::Sources;
};

namespace detail {

/// The comparisons of values. criterion.hpp defines them.
template <class V>
struct Comparisons;

class Derived;

template <class V>
inline constexpr bool is_derived = requires { V::derived; };
/// True if the value counts how often it was computed.
template <class V>
inline constexpr bool is_versioned = V::computed || requires { V::versioned; };

/// Properties of a type of values, as data. The address identifies the value.
struct ValueRecord {
    enum class Kind : unsigned char { live, computed, derived };
    Kind kind;
    Moment moment;
    bool versioned, larger_is_better;
    bool is_count;          ///< a number of epochs or iterations, or an ordinal number
    std::string_view name;  ///< name of a value that is not derived
    /// Reads a live value. Null for values of the user's own, which are read through the trainer's type.
    double (*read)(const TrainerValues&);
};

template <class V>
inline constexpr bool is_read_of_values = false;
template <class V>
    requires requires {
        { &V::read } -> std::same_as<double (*)(const TrainerValues&)>;
    }
inline constexpr bool is_read_of_values<V> = true;

template <class V>
constexpr ValueRecord describe_value() {
    using Kind = ValueRecord::Kind;
    constexpr Kind kind = V::computed ? Kind::computed : is_derived<V> ? Kind::derived : Kind::live;
    constexpr bool is_count = requires { V::scale; } || requires { V::is_count; };
    ValueRecord r{kind, V::moment, is_versioned<V>, V::larger_is_better, is_count, {}, nullptr};
    if constexpr (!is_derived<V>) r.name = V::name.view();
    if constexpr (is_read_of_values<V>) r.read = &V::read;
    return r;
}
template <class V>
inline constexpr ValueRecord value_record = describe_value<V>();

/// A value without its type.
class ValueHandle {
public:
    ValueHandle() = default;  ///< no value
    ValueHandle(const ValueRecord& record, detail::SharedOwner<Derived> derived = {})
        : record_(&record), derived_(std::move(derived)) {}

    explicit operator bool() const { return record_ != nullptr; }
    const ValueRecord& record() const { return *record_; }
    /// Returns the node of a value that is made of others; null for other values.
    Derived* derived() const { return derived_.get(); }
    const void* id() const { return derived_ ? static_cast<const void*>(derived_.get()) : record_; }
    std::string text() const;
    void set(detail::SharedOwner<Derived> derived) { derived_ = std::move(derived); }

private:
    const ValueRecord* record_ = nullptr;
    detail::SharedOwner<Derived> derived_;
};

template <AnyValue V>
ValueHandle value_of(const V& v) {
    if constexpr (is_derived<V>) return v.handle;
    else return value_record<V>;
}

/// The parts of a step that are kept for hooks that fire after it. They cost time, so they are kept on demand.
struct Wants {
    bool gradients = false;  ///< gradients of the loss in the parameters, as the optimizer gets them
    bool before = false;     ///< parameters before the step
    bool outputs = false;    ///< outputs of all layers before the step, as in prediction

    constexpr bool any() const { return gradients || before || outputs; }
    friend constexpr Wants operator|(Wants a, Wants b) {
        return {a.gradients || b.gradients, a.before || b.before, a.outputs || b.outputs};
    }
    friend constexpr bool operator==(Wants, Wants) = default;
};

/// A function that is called for each value that something reads.
using ValueVisitor = AnyFunction<void(ValueHandle&)>;

/// A value that is made of others and has a state, such as a mean over a window. Equal values in hooks that are added
/// together share one state. It is updated once before the hooks that read it, and again after each hook that computes
/// values.
class Derived {
public:
    virtual ~Derived() = default;
    virtual detail::Owned<Derived> clone() const = 0;
    virtual std::string text() const = 0;
    /// Returns whether another value, with the same sources, has the same settings.
    virtual bool same(const Derived& other) const = 0;
    /// Calls f for the values that this one is made of.
    virtual void visit_values(const ValueVisitor& f) = 0;
    /// Prepares the value. Called once, when its hook is added.
    virtual void prepare(TrainerParameters& parameters) = 0;
    virtual void update(HookContext& context) = 0;
    virtual double read(TrainerParameters& parameters) = 0;
    /// Returns how often the value was computed, if it counts that.
    virtual std::uint64_t version() const = 0;
    virtual void restart() = 0;
    virtual void archive(Archive& a) = 0;
    /// Returns the moments at which the value must be updated.
    virtual MomentSet moments() const = 0;
    /// Returns what a step must keep if a hook that reads the value can fire after it, and what every step must keep.
    virtual Wants wants() const = 0;
    virtual Wants always_wants() const = 0;
};

/// Returns what a step must keep for a value if a hook that reads it can fire, and what every step must keep.
Wants wants_of(const ValueHandle& value);
Wants always_wants_of(const ValueHandle& value);

/// Returns whether two values with the same sources are equal.
inline bool same_value(const ValueHandle& a, const ValueHandle& b) { return a.id() == b.id(); }

}  // namespace detail

/// The base of values that are made of other values.
///
/// `Self` has `Sources`, `Parts` (the values that it is made of) and `moment`. It has `versioned = true` if it counts
/// how often it was computed.
///
/// @tparam Self  the derived class
///
/// @see average, smoothed, norm, LiveValue
template <class Self>
struct DerivedValue : detail::Comparisons<Self> {
    /// @cond internal
    using Parts = Types<>;
    static constexpr bool computed = false, derived = true, larger_is_better = false;
    detail::ValueHandle handle;

    explicit DerivedValue(detail::SharedOwner<detail::Derived> derived_)
        : handle(detail::value_record<Self>, std::move(derived_)) {}
    std::string text() const { return handle.text(); }
    /// @endcond
};

}  // namespace sigma

#ifndef SIGMA_COMPILED
#include <sigma/hook/impl/value.ipp>
#endif
