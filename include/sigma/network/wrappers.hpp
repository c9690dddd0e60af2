// SPDX-License-Identifier: BSL-1.0
#pragma once
#include <sigma/core/text.hpp>
#include <sigma/network/grammar.hpp>

/// What can be said of a layer, or of a whole expression, without changing how data flow through it.
namespace sigma {

namespace detail {

/// Names and tags: short, and without what patterns and paths are made of.
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
/// As "2-dense" does, which is what a layer without a name is called.
constexpr bool begins_with_number(std::string_view name) {
    const std::size_t digits = std::min(name.find_first_not_of("0123456789"), name.size());
    return digits > 0 && digits < name.size() && name[digits] == '-';
}

/// See `named`.
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
/// See `tagged`.
template <class L>
struct Tagged : Wrapper<Tagged<L>, L> {
    Text tag;
    constexpr Tagged(Text t, const L& l) : Tagged::Wrapper(l), tag(t) {}

    constexpr void examine(Context& context) const { check_name(context, tag); }
    constexpr void enter(Scope& scope, bool) const { scope.tag(tag.view()); }
};
/// See `shared`.
template <class L>
struct Shared : Named<L, Shared<L>> {
    using Named<L, Shared<L>>::Named;

    constexpr void inside(Context& context, Flow& x) const {
        context.share(this->name, [&] { trace_inside(this->layer, context, x); });
    }
};
/// See `frozen`.
template <class L>
struct Fixed : Wrapper<Fixed<L>, L> {
    using Wrapper<Fixed<L>, L>::Wrapper;

    constexpr void enter(Scope& scope, bool) const { scope.frozen = true; }
};

}  // namespace detail

/// A name in place of number and kind, which stays whatever else is put into the network: `named("hidden", Dense(64))`
/// is layer "hidden" with parameter "hidden.weights". Of several layers it is a path, within which they are numbered:
/// `named("tower", 2 * Dense(64))` makes layers "tower/1-dense" and "tower/2-dense". A name is given once.
template <detail::Operand L>
constexpr auto named(Text name, const L& layer) {
    return detail::Named<detail::AsLayer<L>>(name, detail::as_layer(layer));
}

/// A tag, by which layers of different kinds are found together; the kind of a layer is a tag of it as well.
template <AnyLayer L>
constexpr auto tagged(Text tag, const L& layer) {
    return detail::Tagged<L>(tag, layer);
}

/// The same parameters wherever this name is mentioned; the gradient is the sum over all mentions. What stands under
/// the name must be alike each time: as many parameters of the same shapes.
template <AnyLayer L>
constexpr auto shared(Text name, const L& layer) {
    return detail::Shared<L>(name, layer);
}

/// Parameters inside are not trained: they keep their bits under every optimizer, and no gradient of theirs is
/// computed. Gradients still pass through to what lies before.
template <AnyLayer L>
constexpr auto frozen(const L& layer) {
    return detail::Fixed<L>(layer);
}

}  // namespace sigma
