// SPDX-License-Identifier: BSL-1.0
#pragma once
#include <sigma/layer/activation.hpp>
#include <sigma/layer/input.hpp>
#include <sigma/network/trace.hpp>

#include <array>
#include <cstddef>
#include <type_traits>
#include <utility>

/// The network language: `a + b` is a after b in the flow of data, `n * a` is n layers like a, `a & b` are inputs side
/// by side, and any function over tensors is a layer. Expressions only name; what they mean is decided when a network
/// traces them.
namespace sigma {

namespace detail {

template <int i, class L>
struct Part {
    L part;
};
template <class Numbers, class... L>
struct PartsAt;
template <int... i, class... L>
struct PartsAt<std::integer_sequence<int, i...>, L...> : Part<i, L>... {
    static constexpr int count = static_cast<int>(sizeof...(L));
    constexpr void each([[maybe_unused]] auto f) const { (f(static_cast<const Part<i, L>&>(*this).part), ...); }
};
/// Several layers in order, as a structural list.
template <class... L>
using Parts = PartsAt<std::make_integer_sequence<int, static_cast<int>(sizeof...(L))>, L...>;

/// A combinator with the parts of two.
template <template <class...> class To, int... i, class... A, int... k, class... B>
constexpr To<A..., B...> joined(const PartsAt<std::integer_sequence<int, i...>, A...>& a,
                                const PartsAt<std::integer_sequence<int, k...>, B...>& b) {
    return To<A..., B...>{
        Parts<A..., B...>{{static_cast<const Part<i, A>&>(a).part}..., {static_cast<const Part<k, B>&>(b).part}...}};
}

/// Several parts, each of which may end in a loss.
template <class... L>
struct PartsOf : Layer, Several {
    Parts<L...> parts;
    constexpr explicit PartsOf(const Parts<L...>& p) : parts(p) {}

    constexpr void each_loss(auto f) const {
        parts.each([&](const auto& part) { detail::each_loss(part, f); });
    }
    /// Each part on the same values; `take` gets what it leaves.
    constexpr void each_branch(Context& context, const Flow& x, auto take) const {
        parts.each([&](const auto& part) {
            if (context.failed()) return;
            Flow y = x;
            detail::trace(part, context, y);
            if (!context.failed()) take(y);
        });
    }
    /// The results stand side by side.
    constexpr void fork(Context& context, Flow& x) const {
        Flow all;
        each_branch(context, x, [&](const Flow& y) { push_beside(context, all, y); });
        x = all;
    }
    static constexpr void push_beside(Context& context, Flow& all, const Flow& y) {
        if (y.size() == 0) return context.refuse(error_loss_is_only_allowed_last);
        for (const Tensor& each : y) {
            if (all.full()) return context.refuse(error_layer_has_too_many_values, {values_given, Flow::most + 1});
            all.push(each);
        }
    }
};

/// Layers behind each other.
template <class... L>
struct Sequence : PartsOf<L...> {
    using PartsOf<L...>::PartsOf;

    constexpr void trace(Context& context, Flow& x) const {
        this->parts.each([&](const auto& part) { detail::trace(part, context, x); });
    }
};

/// The same layer n times, each with parameters of its own.
template <class L>
struct Repeat : Layer, Several {
    int times;
    L layer;
    constexpr Repeat(int n, L l) : times(n), layer(l) {}

    constexpr void trace(Context& context, Flow& x) const {
        // A depth that a program computes may be none; one that is written is a mistake.
        if (times == 0 && !std::is_constant_evaluated()) return;
        if (times < 1) return refuse_between(context, error_repeat_count_must_be_positive, {times_given, times});
        const Shape first = x.size() > 0 ? x[0].shape() : Shape{};
        for (int i = 0; i < times && !context.failed(); ++i) {
            const Shape before = x.size() > 0 ? x[0].shape() : Shape{};
            trace_inside(layer, context, x);
            if (context.failed() && i > 0 && first.rank > 0 && !(before == first))
                context.refusal = {&error_repeated_layers_output_does_not_fit_its_input,
                                   {{output_of_one, before}, {input_of_next, first}},
                                   context.layer,
                                   context.kind};
        }
    }
    constexpr void each_loss(auto) const {}
};

/// Inputs side by side.
template <class... L>
struct Inputs : PartsOf<L...> {
    using PartsOf<L...>::PartsOf;

    constexpr void trace(Context& context, Flow& x) const { this->fork(context, x); }
};

inline constexpr Text lambda_kind = "lambda";
/// A function over tensors as a layer. Layers inside it come first, and stand under its name.
template <class F>
struct Lambda : Layer, Combinator {
    static constexpr const Text& kind = lambda_kind;  // short in the names of mistakes
    Held<F> held;
    constexpr explicit Lambda(const F& f) : held(f) {}

    constexpr void trace(Context& context, Flow& x) const {
        const Scope outer = context.scope;
        context.name_layer(kind);
        if constexpr (!(std::is_empty_v<F> && std::is_default_constructible_v<F>))
            if (std::is_constant_evaluated()) return context.refuse(lacks<F>::error_function_must_not_capture);
        if (outer.name.size > 0) {
            context.scope.enter(outer.name.view());
            context.scope.outside = context.layers.size();
        }
        context.scope.name = Text{};
        const int first_node = context.tape->size();
        const F& f = held.get();
        if (!call<Lambda>(context, x, [&](auto... each) -> decltype(f(each...)) { return f(each...); }))
            refuse_values(context, x);
        context.scope = outer;
        if (context.failed()) return;
        context.begin_layer(kind, first_node);
        context.end_layer(x);
    }
    constexpr void each_loss(auto) const {}
};

/// A tensor function by its name as a layer: `Conv2D(64, 3) + BatchNorm() + relu`.
struct NamedFunction : Layer {
    static constexpr Text kind = "activation";
    Activation function;
    constexpr explicit NamedFunction(TensorFunction f) : function(f) {}

    constexpr Tensor forward(Context&, Tensor x) const { return function(x); }
};

/// Is it one layer, which a name names, and not several?
template <class L>
inline constexpr bool is_elementary = !std::is_base_of_v<Several, L>;

/// Says something of the layer it holds; data flow through that as if it stood alone. `check(context)` refuses what is
/// wrong with what it says, `enter(scope, elementary)` says it.
template <class Self, class L>
struct Wrapper : Layer, Combinator {
    L layer;
    constexpr explicit Wrapper(const L& l) : layer(l) {}

    constexpr void trace(Context& context, Flow& x) const {
        const Self& self = static_cast<const Self&>(*this);
        self.examine(context);
        if (context.failed()) return;
        const Scope outer = context.scope;
        self.enter(context.scope, is_elementary<Self>);
        if (context.scope.path.size > outer.path.size) context.scope.outside = context.layers.size();
        self.inside(context, x);
        context.scope = outer;
    }
    constexpr void examine(Context&) const {}
    constexpr void inside(Context& context, Flow& x) const { detail::trace(layer, context, x); }
    constexpr void each_loss(auto f) const { detail::each_loss(layer, f); }
    static constexpr bool holds_one_layer = is_elementary<L>;
};
template <class L>
    requires requires { L::holds_one_layer; }
inline constexpr bool is_elementary<L> = L::holds_one_layer;

/// How many times: a class, since clang looks at operators of what is no layer, and two numbers have none.
struct Times {
    int number;
    template <std::integral Integer>
    constexpr Times(Integer n) : number(size_number(n)) {}
};
/// What may stand in an expression beside a layer: a function over tensors, or an object of a class, as lambdas are.
template <class F>
concept Operand = AnyLayer<F> || std::is_class_v<F> || std::is_same_v<F, Tensor(Tensor)>;

template <class F>
constexpr auto as_layer(const F& f) {
    if constexpr (AnyLayer<F>) return f;
    else if constexpr (std::is_function_v<F>) return NamedFunction(f);
    else return Lambda<F>(f);
}
template <class F>
using AsLayer = decltype(as_layer(std::declval<const F&>()));

/// The parts of a combinator of a kind; of anything else, this alone.
template <template <class...> class Kind, class... L>
constexpr const Parts<L...>& parts_of(const Kind<L...>& of) {
    return of.parts;
}
template <template <class...> class Kind, class L>
constexpr Parts<AsLayer<L>> parts_of(const L& l) {
    return {{as_layer(l)}};
}

}  // namespace detail

template <class A, class B>
    requires(AnyLayer<A> || AnyLayer<B>) && detail::Operand<A> && detail::Operand<B>
constexpr auto operator+(const A& a, const B& b) {
    return detail::joined<detail::Sequence>(detail::parts_of<detail::Sequence>(a),
                                            detail::parts_of<detail::Sequence>(b));
}
/// Of functions that have overloads, `tanh`.
template <AnyLayer L>
constexpr auto operator+(const L& a, detail::TensorFunction f) {
    return a + detail::NamedFunction(f);
}
template <AnyLayer L>
constexpr auto operator+(detail::TensorFunction f, const L& b) {
    return detail::NamedFunction(f) + b;
}
template <AnyLayer L>
constexpr auto operator*(detail::Times n, const L& layer) {
    return detail::Repeat<L>{n.number, layer};
}
/// Inputs side by side: `Input(28, 28) & Input(10)` gives the layers behind it two values.
template <AnyLayer A, AnyLayer B>
constexpr auto operator&(const A& a, const B& b) {
    return detail::joined<detail::Inputs>(detail::parts_of<detail::Inputs>(a), detail::parts_of<detail::Inputs>(b));
}

namespace detail {

/// What an expression makes of values inside a function.
template <class L>
constexpr Flow called(const L& layer, Context& context, Flow x) {
    const Context::Place outer = context.where();
    trace_inside(layer, context, x);
    if (!context.failed()) context.go_back(outer);
    return x;
}

}  // namespace detail

/// The functional form: inside a function that is a layer, `layer(Dense(64), x)` applies a layer, or any expression
/// without inputs and losses, to values; `auto [a, b] = layer<2>(Fork(…), x)` one that gives two. Each call has
/// parameters of its own. Numbers follow the order of calls, so give each a statement of its own: compilers choose the
/// order of operands.
template <int results = 1, AnyLayer L, class... X>
    requires(sizeof...(X) > 0 && (std::is_same_v<X, Tensor> && ...))
constexpr auto layer(const L& expression, X... x) {
    static_assert(sizeof...(X) <= detail::Flow::most, "a layer takes more values than may stand side by side");
    detail::Flow values;
    (values.push(x), ...);
    auto& context = static_cast<Context&>(values[0].trace());
    const detail::Flow y = detail::called(expression, context, values);
    if (y.size() != results)
        context.refuse(error_layer_gives_another_number_of_values, {values_given, y.size()}, {values_wanted, results});
    if constexpr (results == 1) {
        return y.size() > 0 ? y[0] : values[0];
    } else {
        std::array<Tensor, results> all;
        for (int i = 0; i < results; ++i) all[static_cast<std::size_t>(i)] = i < y.size() ? y[i] : values[0];
        return all;
    }
}

}  // namespace sigma
