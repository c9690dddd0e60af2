// SPDX-License-Identifier: BSL-1.0
#pragma once
/// @file
/// Names, tags, shared and frozen parameters of layers: named, tagged, shared, frozen, lora. Included by
/// `<sigma/sigma.hpp>`.
#include <sigma/core/text.hpp>
#include <sigma/network/grammar.hpp>

#include <string_view>
#include <utility>

namespace sigma {

namespace detail {

/// Returns whether a text may be a name or a tag: short, and without the characters of patterns and paths.
constexpr bool is_good_name(const Text& name) {
    if (name.size < 1 || name.size > 24) return false;
    for (const char c : name.view())
        if (!((c >= 'a' && c <= 'z') || (c >= 'A' && c <= 'Z') || (c >= '0' && c <= '9') || c == '-' || c == '_'))
            return false;
    return true;
}
constexpr void check_name(Context& context, const Text& name) {
    if (!is_good_name(name))
        refuse_between(context, error_name_must_have_1_to_24_letters_digits_or_dashes,
                       {characters_of_the_name, name.size});
}
/// Returns whether a name begins like the default name of a layer, "2-dense".
constexpr bool begins_with_number(std::string_view name) {
    const std::size_t digits = std::min(name.find_first_not_of("0123456789"), name.size());
    return digits > 0 && digits < name.size() && name[digits] == '-';
}

/// The type of `named`.
template <class L, class Self = void>
struct Named : Wrapper<std::conditional_t<std::is_void_v<Self>, Named<L, Self>, Self>, L> {
    Text name;
    constexpr Named(Text n, const L& l) : Named::Wrapper(l), name(n) {}

    constexpr void examine(Context& context) const {
        check_name(context, name);
        if (!context.failed() && begins_with_number(name.view()))
            refuse_between(context, error_name_must_not_begin_with_a_number_and_a_dash, {name_is, name});
    }
    constexpr void enter(Scope& scope, bool elementary) const {
        if (elementary) scope.name = name;
        else scope.enter(name.view());
        scope.cost = name;
    }
};
/// The type of `tagged`.
template <class L>
struct Tagged : Wrapper<Tagged<L>, L> {
    Text tag;
    constexpr Tagged(Text t, const L& l) : Tagged::Wrapper(l), tag(t) {}

    constexpr void examine(Context& context) const { check_name(context, tag); }
    constexpr void enter(Scope& scope, bool) const { scope.tag(tag.view()); }
};
/// The type of `shared`.
template <class L>
struct Shared : Named<L, Shared<L>> {
    using Named<L, Shared<L>>::Named;

    constexpr void inside(Context& context, Flow& x) const {
        context.share(this->name, [&] { trace_inside(this->layer, context, x); });
    }
};
/// The type of `frozen`.
template <class L>
struct Fixed : Wrapper<Fixed<L>, L> {
    using Wrapper<Fixed<L>, L>::Wrapper;

    constexpr void enter(Scope& scope, bool) const {
        scope.frozen = true;
        scope.adapter = nullptr;
    }
};

/// The type of `lora`.
template <class L>
struct Adapted : Wrapper<Adapted<L>, L> {
    Adapter adapter;
    constexpr Adapted(const Adapter& a, const L& l) : Adapted::Wrapper(l), adapter(a) {}

    constexpr void examine(Context& context) const {
        if (adapter.rank < 1) refuse_between(context, error_lora_rank_must_be_positive, {rank_given, adapter.rank});
    }
    constexpr void enter(Scope& scope, bool) const {
        if (scope.adapter == nullptr) scope.adapter_frozen = scope.frozen;
        scope.adapter = &adapter;
        scope.frozen = true;
    }
    constexpr void inside(Context& context, Flow& x) const {
        const auto before = std::exchange(context.adapted, 0);
        detail::trace(this->layer, context, x);
        const auto found = std::exchange(context.adapted, before);
        each_pattern(adapter.weights.view(), [&](std::string_view pattern, int number) {
            if (!context.failed() && (found >> number & 1) == 0)
                refuse_between(context, error_lora_found_no_weights_to_adapt, {pattern_is, Text().append(pattern)});
        });
    }
};

}  // namespace detail

/// The options of `lora`.
///
/// @par Example
/// @code
/// constexpr LoraOptions queries_and_values{.alpha = 16, .weights = "*query_weights *value_weights"};
/// @endcode
///
/// @see lora
struct LoraOptions {
    /// Numerator of the factor alpha / rank. Default, 0: the rank, so that the factor is 1.
    double alpha = 0;
    /// Patterns of the weights to adapt, with spaces between them, such as "*query_weights *value_weights". Each must
    /// match. Default: all weights of `Dense`, `Linear` and attention.
    Text weights = "*";
};

/// Names a layer or an expression. The name replaces the default name, such as "1-dense", and does not change when you
/// add other layers.
///
/// `named("hidden", Dense(64))` is layer "hidden" with the parameters "hidden.weights" and "hidden.biases". A name
/// around several layers is a path: `named("tower", 2 * Dense(64))` makes the layers "tower/1-dense" and
/// "tower/2-dense".
///
/// @param name   1 to 24 letters, digits, dashes or underscores. It must be unique in the network, and must not begin
///               with a number and a dash.
/// @param layer  a layer, a function or an expression
/// @return the layer or expression with this name
///
/// @par Example
/// @code
/// struct Small : Network<Input(28, 28) + named("hidden", Dense(64, relu)) + Dense(10) + SoftmaxCE()> {};
/// Model<Small>().parameter<"hidden.weights">().shape();  // {784, 64}
/// @endcode
template <detail::Operand L>
constexpr auto named(Text name, const L& layer) {
    return detail::Named<detail::AsLayer<L>>(name, detail::as_layer(layer));
}

/// Adds a tag to a layer or an expression. Patterns of parameters find all layers with a tag together.
///
/// The kind of a layer, such as "dense", is a tag of the layer, too.
///
/// @param tag    1 to 24 letters, digits, dashes or underscores
/// @param layer  a layer or an expression
/// @return the layer or expression with this tag
///
/// @par Example
/// @code
/// struct Body : Network<Input(8) + tagged("body", Dense(8, relu) + BatchNorm()) + Dense(2) + SoftmaxCE()> {};
/// @endcode
template <AnyLayer L>
constexpr auto tagged(Text tag, const L& layer) {
    return detail::Tagged<L>(tag, layer);
}

/// Shares parameters: all expressions with this name use the same parameters. Their gradient is the sum of the
/// gradients of all uses.
///
/// @param name   name of the shared parameters, as for `named`
/// @param layer  a layer or an expression. Each use must have the same number of parameters, with the same shapes.
/// @return the layer or expression with shared parameters
///
/// @par Example
/// @code
/// struct Twins : Network<(Input(8) & Input(8)) + Parallel(shared("code", Dense(4)), shared("code", Dense(4))) +
///                        Concatenate() + Dense(2) + SoftmaxCE()> {};
/// @endcode
template <AnyLayer L>
constexpr auto shared(Text name, const L& layer) {
    return detail::Shared<L>(name, layer);
}

/// Freezes the parameters of a layer or an expression: training does not change them, and computes no gradients for
/// them. Gradients still flow to the layers before.
///
/// @param layer  a layer or an expression
/// @return the layer or expression with frozen parameters
///
/// @par Example
/// @code
/// struct Tuned : Network<Input(28, 28) + frozen(Dense(64, relu)) + Dense(10) + SoftmaxCE()> {};
/// @endcode
template <AnyLayer L>
constexpr auto frozen(const L& layer) {
    return detail::Fixed<L>(layer);
}

/// Adapts an expression by matrices of low rank (LoRA; Hu et al. 2021): freezes its parameters, and replaces each
/// product x·W of `Dense`, `Linear` and attention by x·W + (alpha / rank)·(x·A)·B.
///
/// A is (inputs, rank) and B (rank, units). They have the names of the weights with the suffixes "_lora_a" and
/// "_lora_b". A is drawn uniformly from -1/√inputs to 1/√inputs. B is 0, so the network predicts the same as before
/// until it is trained. The factor alpha / rank is the hyperparameter with the suffix "_lora". A factor of 0 switches
/// the adaptation off.
///
/// @par Errors
/// `error_lora_rank_must_be_positive`, `error_lora_found_no_weights_to_adapt`: see docs/errors.md.
///
/// @param rank     rank of the matrices, at least 1
/// @param layer    a layer or an expression with `Dense`, `Linear` or attention inside. Layers that are `frozen` inside
///                 are not adapted.
/// @param options  factor, and which weights are adapted
/// @return the adapted layer or expression, with the same names of layers
///
/// @par Example
/// @code
/// constexpr auto body = 2 * Dense(128, relu) + Dense(10);
/// struct Digits : Network<Input(28, 28) + body + SoftmaxCE()> {};
/// struct Adapted : Network<Input(28, 28) + lora(4, body) + SoftmaxCE()> {};
/// Model<Digits> digits(1);
/// Model<Adapted> adapted(2);
/// transfer(digits, adapted, "*", Transfer::common);
/// @endcode
///
/// @see merge_lora, frozen
template <AnyLayer L>
constexpr auto lora(int rank, const L& layer, const LoraOptions& options = {}) {
    const double alpha = options.alpha == 0 ? rank : options.alpha;
    return detail::Adapted<L>({rank, alpha / (rank == 0 ? 1 : rank), options.weights}, layer);
}

}  // namespace sigma
