// SPDX-License-Identifier: BSL-1.0
#pragma once
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

/// What happens in the life of a trainer. Iterations and epochs count when they are complete; the others when the run
/// begins, ends, halts and goes on, and when the trainer goes back to its beginning.
enum class Moment { iteration, epoch, start, stop, pause, resume, reset };

namespace detail {

inline constexpr int moment_count = 7;

constexpr std::string_view text(Moment m) {
    constexpr std::string_view words[] = {"iteration", "epoch", "start", "stop", "pause", "resume", "reset"};
    return words[static_cast<int>(m)];
}

}  // namespace detail

/// How often each has happened since the trainer was made or reset.
class MomentCounts {
public:
    std::uint64_t operator[](Moment m) const { return counts_[static_cast<std::size_t>(m)]; }
    std::uint64_t& operator[](Moment m) { return counts_[static_cast<std::size_t>(m)]; }

private:
    std::array<std::uint64_t, detail::moment_count> counts_{};
};

/// A set of moments.
struct MomentSet {
    unsigned bits = 0;

    constexpr MomentSet() = default;
    constexpr MomentSet(Moment m) : bits(1u << static_cast<int>(m)) {}
    constexpr bool has(Moment m) const { return (bits >> static_cast<int>(m) & 1) != 0; }
    constexpr bool empty() const { return bits == 0; }
    friend constexpr MomentSet operator|(MomentSet a, MomentSet b) {
        a.bits |= b.bits;
        return a;
    }
    friend constexpr bool operator==(MomentSet, MomentSet) = default;
};

/// A list of types: the values that a criterion or an action reads or writes.
template <class... V>
struct Types {
    static constexpr int count = sizeof...(V);
    template <class W>
    static constexpr bool has = (std::is_same_v<V, W> || ...);
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

/// The same without repetitions, in order of first appearance.
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

/// A number that a running trainer has: `loss`, `accuracy`, `learning_rate`. Its type says how it is called, when it is
/// new, and whether a hook computes it.
template <class V>
concept AnyValue = requires(const V& v) {
    { V::moment } -> std::convertible_to<Moment>;
    { V::computed } -> std::convertible_to<bool>;
    { v.text() } -> std::convertible_to<std::string>;
    typename V::Sources;
};

namespace detail {

/// The comparisons that values offer; see criterion.hpp, which defines them.
template <class V>
struct Comparisons;

class Derived;

template <class V>
inline constexpr bool is_derived = requires { V::derived; };
/// Does the value count how often it was newly computed?
template <class V>
inline constexpr bool is_versioned = V::computed || requires { V::versioned; };

/// What a type of values says, as data. Its address is what tells values apart.
struct ValueRecord {
    enum class Kind : unsigned char { live, computed, derived };
    Kind kind;
    Moment moment;
    bool versioned, larger_is_better;
    bool is_count;          ///< of epochs or iterations, or the number of something
    std::string_view name;  ///< of those that are not derived
    double (*read)(
        const TrainerValues&);  ///< of live ones; those of one's own are read by who knows the trainer's type
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
    ValueHandle() = default;  ///< none
    ValueHandle(const ValueRecord& record, detail::SharedOwner<Derived> derived = {})
        : record_(&record), derived_(std::move(derived)) {}

    explicit operator bool() const { return record_ != nullptr; }
    const ValueRecord& record() const { return *record_; }
    /// Of a value that is made of others.
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
    virtual detail::Owned<Derived> clone() const = 0;
    virtual std::string text() const = 0;
    /// Does another, whose sources are shared, stand for the same?
    virtual bool same(const Derived& other) const = 0;
    /// What it is made of.
    virtual void visit_values(const ValueVisitor& f) = 0;
    /// Once, when its hook is added.
    virtual void prepare(TrainerParameters& parameters) = 0;
    virtual void update(HookContext& context) = 0;
    virtual double read(TrainerParameters& parameters) = 0;
    /// How often it was newly computed, for those that count it.
    virtual std::uint64_t version() const = 0;
    virtual void restart() = 0;
    virtual void archive(Archive& a) = 0;
    /// The moments that it must see.
    virtual MomentSet moments() const = 0;
    /// What a step must keep when a hook that reads it can fire, and what each step must keep.
    virtual Wants wants() const = 0;
    virtual Wants always_wants() const = 0;
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
#include <sigma/hook/impl/value.ipp>
#endif
