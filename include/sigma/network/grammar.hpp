// SPDX-License-Identifier: BSL-1.0
#pragma once
/// @file
/// The operators of network expressions, and `layer`. Included by `<sigma/sigma.hpp>`.
#include <sigma/layer/activation.hpp>
#include <sigma/layer/input.hpp>
#include <sigma/network/trace.hpp>

#include <array>
#include <cstddef>
#include <type_traits>
#include <utility>

// The language of networks: in `a + b` data flow from a to b, `n * a` is n layers like a, `a & b` are inputs side by
// side, and a function of tensors is a layer. Expressions only store their parts. A network gives them a meaning when
// it traces them.
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
/// A list of layers as a structural type.
template <class... L>
using Parts = PartsAt<std::make_integer_sequence<int, static_cast<int>(sizeof...(L))>, L...>;

/// A combinator with the parts of two.
template <template <class...> class To, int... i, class... A, int... k, class... B>
constexpr To<A..., B...> joined(const PartsAt<std::integer_sequence<int, i...>, A...>& a,
                                const PartsAt<std::integer_sequence<int, k...>, B...>& b) {
    return To<A..., B...>{
        Parts<A..., B...>{{static_cast<const Part<i, A>&>(a).part}..., {static_cast<const Part<k, B>&>(b).part}...}};
}

/// Several parts of an expression. Each of them may end with a loss.
template <class... L>
struct PartsOf : Layer, Several {
    /// @cond internal
    Parts<L...> parts;
    constexpr explicit PartsOf(const Parts<L...>& p) : parts(p) {}

    constexpr void each_loss(auto f) const {
        parts.each([&](const auto& part) { detail::each_loss(part, f); });
    }
    /// Traces each part with the same values, and calls take(results of the part).
    constexpr void each_branch(Context& context, const Flow& x, auto take) const {
        parts.each([&](const auto& part) {
            if (context.failed()) return;
            Flow y = x;
            detail::trace(part, context, y);
            if (!context.failed()) take(y);
        });
    }
    /// Traces each part with the same values, and puts all results side by side.
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
    /// @endcond
};

/// Layers one after another.
template <class... L>
struct Sequence : PartsOf<L...> {
    using PartsOf<L...>::PartsOf;

    constexpr void trace(Context& context, Flow& x) const {
        this->parts.each([&](const auto& part) { detail::trace(part, context, x); });
    }
};

/// A layer repeated n times, each time with parameters of its own.
template <class L>
struct Repeat : Layer, Several {
    int times;
    L layer;
    constexpr Repeat(int n, L l) : times(n), layer(l) {}

    constexpr void trace(Context& context, Flow& x) const {
        // A depth that the program computes may be 0. A constant of 0 is a mistake.
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
/// A function of tensors as a layer. Layers inside the function come first, under its name.
template <class F>
struct Lambda : Layer, Combinator {
    static constexpr const Text& kind = lambda_kind;  // a reference prints shorter in compile errors
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

/// True for a single layer: a name names the layer itself. False for several layers: a name is a path.
template <class L>
inline constexpr bool is_elementary = !std::is_base_of_v<Several, L>;

/// Adds a property, such as a name, to the layer that it contains. Data flow through this layer as without a wrapper.
/// `examine(context)` rejects wrong properties, and `enter(scope, elementary)` sets them.
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

/// A number of repetitions. It is a class, because clang also examines this operator for other types, and operators of
/// two numbers cannot be overloaded.
struct Times {
    int number;
    template <std::integral Integer>
    constexpr Times(Integer n) : number(size_number(n)) {}
};
/// An operand of an expression: a layer, a function of tensors, or an object of a class, such as a lambda.
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

/// Returns the parts of a combinator of this kind, or a list with the operand alone.
template <template <class...> class Kind, class... L>
constexpr const Parts<L...>& parts_of(const Kind<L...>& of) {
    return of.parts;
}
template <template <class...> class Kind, class L>
constexpr Parts<AsLayer<L>> parts_of(const L& l) {
    return {{as_layer(l)}};
}

}  // namespace detail

/// Joins two parts of an expression: data flow from `left` to `right`.
///
/// @param left   a layer, a function of tensors, or an expression
/// @param right  a layer, a function of tensors, or an expression
/// @return an expression
///
/// @par Example
/// @code
/// auto expression = Input(4) + Dense(8) + relu + Dense(3) + SoftmaxCE();
/// @endcode
template <class A, class B>
    requires(AnyLayer<A> || AnyLayer<B>) && detail::Operand<A> && detail::Operand<B>
constexpr auto operator+(const A& left, const B& right) {
    return detail::joined<detail::Sequence>(detail::parts_of<detail::Sequence>(left),
                                            detail::parts_of<detail::Sequence>(right));
}
/// Applies a tensor function with overloads, such as `tanh`, after an expression.
/// @param left      a layer or an expression
/// @param function  a function of one Tensor
/// @return an expression
/// @see docs/networks.md
template <AnyLayer L>
constexpr auto operator+(const L& left, detail::TensorFunction function) {
    return left + detail::NamedFunction(function);
}
/// Applies a tensor function with overloads, such as `tanh`, before an expression.
/// @param function  a function of one Tensor
/// @param right     a layer or an expression
/// @return an expression
/// @see docs/networks.md
template <AnyLayer L>
constexpr auto operator+(detail::TensorFunction function, const L& right) {
    return detail::NamedFunction(function) + right;
}
/// Repeats a layer or an expression. Each repetition has parameters of its own.
///
/// @param times  number of repetitions, at least 1. In a run-time network 0 repetitions are allowed, too.
/// @param layer  a layer or an expression
/// @return an expression
///
/// @par Example
/// @code
/// struct Deep : Network<Input(28, 28) + 3 * Dense(64, relu) + Dense(10) + SoftmaxCE()> {};
/// @endcode
template <AnyLayer L>
constexpr auto operator*(detail::Times times, const L& layer) {
    return detail::Repeat<L>{times.number, layer};
}
/// Puts inputs side by side: `Input(28, 28) & Input(10)` gives two values to the layers behind.
///
/// @param left   an input, or several
/// @param right  an input, or several
/// @return an expression
///
/// @see Parallel, Concatenate
template <AnyLayer A, AnyLayer B>
constexpr auto operator&(const A& left, const B& right) {
    return detail::joined<detail::Inputs>(detail::parts_of<detail::Inputs>(left),
                                          detail::parts_of<detail::Inputs>(right));
}

namespace detail {

/// Traces an expression inside a function, and returns its results.
template <class L>
constexpr Flow called(const L& layer, Context& context, Flow x) {
    const Context::Place outer = context.where();
    trace_inside(layer, context, x);
    if (!context.failed()) context.go_back(outer);
    return x;
}

}  // namespace detail

/// Applies a layer, or an expression, to tensors, inside a function that is a layer itself.
///
/// Each call has parameters of its own. Layers are numbered in the order of the calls. Write each call in a statement
/// of its own, because the compiler chooses the order of calls within one statement.
///
/// @tparam results    number of values that the expression returns. Default: 1.
/// @param expression  a layer, or an expression without inputs and losses
/// @param x           the tensors that flow in, at most eight
/// @return the result as a Tensor, or a `std::array` of several results
///
/// @par Example
/// @code
/// struct Functional : Network<Input(8) + [](Tensor x) {
///     const Tensor h = layer(Dense(16, relu), x);
///     const Tensor y = layer(Dense(8), h);
///     return x + y;
/// } + Dense(2) + SoftmaxCE()> {};
/// @endcode
template <int results = 1, AnyLayer L, class... X>
    requires(sizeof...(X) > 0 && (std::is_same_v<X, Tensor> && ...))
constexpr auto layer(const L& expression, X... x) {
    static_assert(sizeof...(X) <= detail::Flow::most, "a layer takes more values than may stand side by side");
    detail::Flow values;
    (values.push(x), ...);
    auto& context = static_cast<Context&>(values[0].trace());
    const detail::Flow y = detail::called(expression, context, values);
    if (y.size() != results)
        context.refuse(error_expression_gives_wrong_number_of_values, {values_given, y.size()},
                       {values_wanted, results});
    if constexpr (results == 1) {
        return y.size() > 0 ? y[0] : values[0];
    } else {
        std::array<Tensor, results> all;
        for (int i = 0; i < results; ++i) all[static_cast<std::size_t>(i)] = i < y.size() ? y[i] : values[0];
        return all;
    }
}

}  // namespace sigma
