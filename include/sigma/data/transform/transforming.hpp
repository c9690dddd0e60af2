// SPDX-License-Identifier: BSL-1.0
#pragma once
#include <sigma/core/plainly.hpp>
#include <sigma/data/pipeline/pipeline.hpp>
#include <sigma/data/transform/effects.hpp>

namespace sigma::data {

/// A transform as users write it, and the sections it is for, all where there are no names: what `standardize(inputs)`
/// is. Effect says what the compiler can know of the extents.
template <class Effect, Text... names>
struct Transforming {
    TransformPointer transform;

    TransformSteps steps() const {
        if constexpr (sizeof...(names) == 0) return TransformSteps(transform, {});
        else return TransformSteps(transform, std::array{names.view()...});
    }
};

/// Transforms one after the other, without data: normalize(inputs, 0, 255) >> standardize(inputs).
template <class... T>
class TransformChain {
public:
    explicit TransformChain(TransformSteps steps) : steps_(std::move(steps)) {}
    const TransformSteps& steps() const& { return steps_; }
    TransformSteps steps() && { return std::move(steps_); }

private:
    TransformSteps steps_;
};

namespace detail {

/// The chain that a transform or a chain of them is.
template <class X>
struct ChainOf;
template <class Effect, Text... names>
struct ChainOf<Transforming<Effect, names...>> {
    using type = TransformChain<Transforming<Effect, names...>>;
};
template <class... T>
struct ChainOf<TransformChain<T...>> {
    using type = TransformChain<T...>;
};
template <class A, class B>
struct ChainedTypes;
template <class... A, class... B>
struct ChainedTypes<TransformChain<A...>, TransformChain<B...>> {
    using type = TransformChain<A..., B...>;
};

template <class A, class... More>
struct FirstWrong {
    using type = A;
};
template <class A, class... More>
struct FirstWrong<void, A, More...> : FirstWrong<A, More...> {};

/// A schema after one transform.
template <class S, class T>
struct AfterTransform;
template <class... F, class Effect, Text... names>
struct AfterTransform<Schema<F...>, Transforming<Effect, names...>> {
    template <class Field_>
    static constexpr bool acts_on = sizeof...(names) == 0 || ((Field_::name == names) || ...);
    template <class Field_, bool acts>
    struct One {
        using type = Field_;
        using mistake = void;
    };
    template <class Field_>
    struct One<Field_, true> {
        using type = SectionField<Field_::name, Field_::role, typename Effect::template after<typename Field_::Record>>;
        using mistake = typename Effect::template mistake<typename Field_::Record>;
    };
    template <Text name>
    using Missing = std::conditional_t<Schema<F...>::has(name), void,
                                       error_no_such_section<section<name>, sections_are<section<F::name>...>>>;

    using type = Schema<typename One<F, acts_on<F>>::type...>;
    using mistake = typename FirstWrong<Missing<names>..., typename One<F, acts_on<F>>::mistake..., void>::type;
};

/// A schema after several: of mistakes the first.
template <class S, class... T>
struct AfterTransforms {
    using type = S;
    using mistake = void;
};
template <class S, class T, class... More>
struct AfterTransforms<S, T, More...> {
    using One = AfterTransform<S, T>;
    template <class Wrong, class Next>
    struct Then : AfterTransforms<Next, More...> {
        using mistake = Wrong;
    };
    template <class Next>
    struct Then<void, Next> : AfterTransforms<Next, More...> {};

    using All = Then<typename One::mistake, typename One::type>;
    using type = typename All::type;
    using mistake = typename All::mistake;
};
template <class S, class Chain>
struct AfterChain;
template <class S, class... T>
struct AfterChain<S, TransformChain<T...>> : AfterTransforms<S, T...> {};

}  // namespace detail

/// A transform or a chain of them.
template <class X>
concept AnyTransforms = requires { typename detail::ChainOf<std::remove_cvref_t<X>>::type; };

/// The schema of records after transforms: `type`; and `mistake`, which is void where they fit.
template <class S, AnyTransforms X>
using SchemaAfter = detail::AfterChain<S, typename detail::ChainOf<std::remove_cvref_t<X>>::type>;

template <class S, class X>
concept TransformsFit = AnyTransforms<X> && std::is_void_v<typename SchemaAfter<S, X>::mistake>;

/// First these, then those.
template <AnyTransforms A, AnyTransforms B>
auto operator>>(const A& first, const B& then) {
    return typename detail::ChainedTypes<typename detail::ChainOf<A>::type, typename detail::ChainOf<B>::type>::type(
        first.steps() + then.steps());
}

/// What happens to the records of a pipeline.
template <class S, AnyTransforms X>
    requires TransformsFit<S, X>
auto operator>>(const Pipeline<S>& pipeline, const X& transforms) {
    return Pipeline<typename SchemaAfter<S, X>::type>{pipeline.reader, pipeline.steps + transforms.steps()};
}
template <class S, AnyTransforms X>
    requires(!TransformsFit<S, X>)
auto operator>>(const Pipeline<S>&, const X&)
    -> decltype(sigma::detail::plainly(std::type_identity<typename SchemaAfter<S, X>::mistake>{}));
template <AnyTransforms X>
error_table_needs_sections operator>>(const Table&, const X&);

}  // namespace sigma::data
