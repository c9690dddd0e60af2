// SPDX-License-Identifier: BSL-1.0
#pragma once
#include <sigma/hook/values.hpp>

#include <memory>

namespace sigma {

/// A value that is made of others and keeps a state for that, as a mean over a window does. Equal ones in hooks that are
/// added together are one: they share the state, which is brought up to date once before the hooks that read it.
///
/// `Self` has: `State` with `update(context, self)`, `restart()`, `archive(a)` and a number `result`;
/// `operator==`, by what was asked for; `visit_values(f)` over what it is made of; `Sources`, `text()`, `moment`, and
/// `updates` where its state must see other moments too.
template <class Self>
struct DerivedValue : Comparisons<Self> {
    static constexpr bool computed = false, derived = true, larger_is_better = false;

    double read(const auto&) const { return static_cast<const Self&>(*this).state->result; }
    const void* id() const { return static_cast<const Self&>(*this).state.get(); }
};

namespace detail {

template <class V>
inline constexpr bool is_derived = requires { V::derived; };

/// What keeps one derived value up to date for a group of hooks.
template <class Context>
class Processor {
public:
    virtual ~Processor() = default;
    virtual void update(Context& context) = 0;
    virtual void restart() = 0;
    virtual void archive(Archive&) = 0;
    virtual Moments moments() const = 0;
    virtual bool needs_gradients() const { return false; }
};

template <class V, class Context>
class ProcessorOf final : public Processor<Context> {
public:
    explicit ProcessorOf(V v) : value_(std::move(v)) {}
    V value_;

    void update(Context& context) override { value_.state->update(context, value_); }
    void restart() override { value_.state->restart(); }
    void archive(Archive& a) override { value_.state->archive(a); }
    Moments moments() const override {
        if constexpr (requires { V::updates; }) return V::updates;
        else return V::moment;
    }
    bool needs_gradients() const override {
        if constexpr (requires { V::needs_gradients; }) return V::needs_gradients;
        else return false;
    }
};

}  // namespace detail
}  // namespace sigma
