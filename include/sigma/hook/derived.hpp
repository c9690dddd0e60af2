// SPDX-License-Identifier: BSL-1.0
#pragma once
#include <sigma/hook/values.hpp>

namespace sigma {

/// What is kept of a step for hooks that fire after it, since it costs time.
struct Wants {
    bool gradients = false;  ///< of the loss in the parameters, as the optimizer gets them
    bool before = false;     ///< the parameters before the step

    constexpr bool any() const { return gradients || before; }
    friend constexpr Wants operator|(Wants a, Wants b) { return {a.gradients || b.gradients, a.before || b.before}; }
    friend constexpr bool operator==(Wants, Wants) = default;
};

/// A value that is made of others and keeps a state for that, as a mean over a window does. Equal ones in hooks that are
/// added together are one: they share the state, which is brought up to date once before the hooks that read it, and
/// again after a hook that computes values.
///
/// `Self` has: `State` with `update(context, self)`, `restart()`, `archive(a)` and a number `result`;
/// `operator==`, by what was asked for; `visit_values(f)` over what it is made of; `Sources`, `text()`, `moment`.
/// It may have: `update_moments`, where its state must see other moments than `moment` too; `State::version`, how often it
/// was newly computed, and then `versioned = true`; `wants`, what a step must keep when a hook that reads it can fire;
/// `always_wants`, what each step must keep; `prepare(trainer)`, which is called once when its hook is added.
template <class Self>
struct DerivedValue : Comparisons<Self> {
    static constexpr bool computed = false, derived = true, larger_is_better = false;

    double read(const auto&) const { return static_cast<const Self&>(*this).state->result; }
    const void* id() const { return static_cast<const Self&>(*this).state.get(); }
};

namespace detail {

template <class V>
inline constexpr bool is_derived = requires { V::derived; };

template <class V>
constexpr Wants wants_of() {
    if constexpr (requires { V::wants; }) return V::wants;
    else return {};
}
template <class V>
constexpr Wants always_wants_of() {
    if constexpr (requires { V::always_wants; }) return V::always_wants;
    else return {};
}

/// Do two values of one type stand for the same?
template <class V>
bool same_value(const V& a, const V& b) {
    if constexpr (is_derived<V>) return a == b;
    else return true;
}

/// What keeps one derived value up to date for a group of hooks.
template <class Context>
class Processor {
public:
    virtual ~Processor() = default;
    virtual void update(Context& context) = 0;
    virtual void restart() = 0;
    virtual void archive(Archive&) = 0;
    virtual MomentSet moments() const = 0;
    virtual Wants always_wants() const = 0;
};

template <class V, class Context>
class ProcessorOf final : public Processor<Context> {
public:
    explicit ProcessorOf(V v) : value_(std::move(v)) {}
    V value_;

    void update(Context& context) override { value_.state->update(context, value_); }
    void restart() override { value_.state->restart(); }
    void archive(Archive& a) override { value_.state->archive(a); }
    MomentSet moments() const override {
        if constexpr (requires { V::update_moments; }) return V::update_moments;
        else return V::moment;
    }
    Wants always_wants() const override { return always_wants_of<V>(); }
};

}  // namespace detail
}  // namespace sigma
