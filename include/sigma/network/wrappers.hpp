// SPDX-License-Identifier: BSL-1.0
#pragma once
#include <sigma/core/text.hpp>
#include <sigma/core/words.hpp>
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
template <Text name>
consteval auto check_name() {
    if constexpr (is_good_name(name)) return Mistake<>{};
    else return Mistake<error_name_must_have_1_to_24_letters_digits_or_dashes<characters_given<name.size>>>{};
}
/// As "2-dense" does, which is what a layer without a name is called.
constexpr bool begins_with_number(std::string_view name) {
    const std::size_t digits = std::min(name.find_first_not_of("0123456789"), name.size());
    return digits > 0 && digits < name.size() && name[digits] == '-';
}
template <Text name>
consteval auto check_layer_name() {
    using Found = decltype(check_name<name>());
    if constexpr (!is_fine<Found>) return Found{};
    else if constexpr (begins_with_number(name.view()))
        return Mistake<error_name_must_not_begin_with_a_number_and_a_dash<typename SpelledText<name>::type>>{};
    else return Mistake<>{};
}

/// See `named`.
template <class L>
struct Named : Wrapper {
    Text name;
    L layer;
    constexpr Named(Text n, L l) : name(n), layer(l) {}

    static constexpr auto check(auto self) { return detail::check_layer_name<self().name>(); }
    constexpr void enter(Scope& scope, bool elementary) const {
        if (elementary) scope.name = name;
        else scope.enter(name.view());
        scope.cost = name;
    }
};
/// See `tagged`.
template <class L>
struct Tagged : Wrapper {
    Text tag;
    L layer;
    constexpr Tagged(Text t, L l) : tag(t), layer(l) {}

    static constexpr auto check(auto self) { return detail::check_name<self().tag>(); }
    constexpr void enter(Scope& scope, bool) const { scope.tag(tag.view()); }
};
/// See `shared`.
template <class L>
struct Shared : Named<L> {
    using Named<L>::Named;

    static constexpr auto inside(auto self, Context& context, const auto& x) {
        return context.share(self().name, [&] { return detail::trace<self().layer>(context, x); });
    }
};
/// See `frozen`.
template <class L>
struct Fixed : Wrapper {
    L layer;
    constexpr explicit Fixed(L l) : layer(l) {}

    constexpr void enter(Scope& scope, bool) const { scope.frozen = true; }
};

}  // namespace detail

/// A name in place of number and kind, which stays whatever else is put into the network: `named("hidden", Dense(64))`
/// is layer "hidden" with parameter "hidden.weights". Of several layers it is a path, within which they are numbered:
/// `named("tower", 2 * Dense(64))` makes layers "tower/1-dense" and "tower/2-dense". A name is given once.
template <detail::Operand L>
    requires(!detail::captures<L>)
constexpr auto named(Text name, L layer) {
    return detail::Named<detail::AsLayer<L>>{name, detail::as_layer(layer)};
}
template <detail::Operand L>
    requires detail::captures<L>
constexpr error_function_must_not_capture<L> named(Text, L);

/// A tag, by which layers of different kinds are found together; the kind of a layer is a tag of it as well.
template <AnyLayer L>
constexpr auto tagged(Text tag, L layer) {
    return detail::Tagged<L>{tag, layer};
}

/// The same parameters wherever this name is mentioned; the gradient is the sum over all mentions. What stands under
/// the name must be alike each time: as many parameters of the same shapes.
template <AnyLayer L>
    requires detail::is_fine<decltype(detail::inside_mistake<L, inside_a_branch>())>
constexpr auto shared(Text name, L layer) {
    return detail::Shared<L>{name, layer};
}
template <AnyLayer L>
    requires(!detail::is_fine<decltype(detail::inside_mistake<L, inside_a_branch>())>)
constexpr auto shared(Text, L) -> decltype(detail::plainly(
    std::type_identity<detail::MistakeOf<decltype(detail::inside_mistake<L, inside_a_branch>())>>{}));

/// Parameters inside are not trained: they keep their bits under every optimizer, and no gradient of theirs is
/// computed. Gradients still pass through to what lies before.
template <AnyLayer L>
constexpr auto frozen(L layer) {
    return detail::Fixed<L>{layer};
}

}  // namespace sigma
