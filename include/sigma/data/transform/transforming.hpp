// SPDX-License-Identifier: BSL-1.0
#pragma once

#include <sigma/core/any_function.hpp>
#include <sigma/core/words.hpp>
#include <sigma/data/number_list.hpp>
#include <sigma/data/pipeline/pipeline.hpp>
#include <sigma/data/pipeline/schema.hpp>

#include <array>
#include <concepts>
#include <initializer_list>
#include <span>
#include <string>
#include <type_traits>
#include <utility>

/// What transforms do to the extents of a record, for the compiler. `after<Record>` are the extents then;
/// `mistake<Record>` is void, or the type that tells what is wrong.
namespace sigma::data::detail {

template <class Record>
struct SpelledRecord;
template <int... extents>
struct SpelledRecord<Extents<extents...>> {
    using type = shape<extents...>;
};

struct KeepsExtents {
    template <class Record>
    using after = Record;
    template <class Record>
    using mistake = void;
};

/// Only the file or the program knows what comes out.
struct LosesExtents {
    template <class Record>
    using after = UnknownExtents;
    template <class Record>
    using mistake = void;
};

template <class Record, int count>
struct Appended {
    using type = UnknownExtents;
};
template <int... extents, int count>
struct Appended<Extents<extents...>, count> {
    using type = Extents<extents..., count>;
};
template <int count>
struct AppendsExtent {
    template <class Record>
    using after = typename Appended<Record, count>::type;
    template <class Record>
    using mistake = void;
};

constexpr bool each_once(std::initializer_list<int> axes) {
    int number = 0;
    for (int wanted = 0; wanted < static_cast<int>(axes.size()); ++wanted, number = 0) {
        for (const int axis : axes) number += axis == wanted ? 1 : 0;
        if (number != 1) return false;
    }
    return true;
}

template <class Record, int... axes>
struct Permuted {
    using type = UnknownExtents;
    using mistake = void;
};
template <class Wrong>
struct Mistaken {
    using type = UnknownExtents;
    using mistake = Wrong;
};
template <class E, int... axes>
struct PermutedWell {
    static constexpr auto extents = []<int... e>(Extents<e...>) { return std::array<int, sizeof...(e)>{e...}; }(E{});
    using type = Extents<extents[axes]...>;
    using mistake = void;
};
template <int... extents, int... axes>
struct Permuted<Extents<extents...>, axes...>
    : std::conditional_t<
          sizeof...(extents) == sizeof...(axes), std::type_identity<PermutedWell<Extents<extents...>, axes...>>,
          std::type_identity<Mistaken<error_permute_needs_each_axis_once<axes_given<axes...>, shape<extents...>>>>>::
          type {};
template <int... axes>
struct PermutesAxes {
    template <class Record>
    using after = typename Permuted<Record, axes...>::type;
    template <class Record>
    using mistake = typename Permuted<Record, axes...>::mistake;
};

template <class Record, int... to>
struct Reshaped {
    using mistake = void;
};
template <int... extents, int... to>
struct Reshaped<Extents<extents...>, to...> {
    using mistake = std::conditional_t<(1LL * ... * extents) == (1LL * ... * to), void,
                                       error_reshape_changes_the_number_of_elements<shape<extents...>, shape<to...>>>;
};
template <int... to>
struct ReshapesTo {
    template <class Record>
    using after = Extents<to...>;
    template <class Record>
    using mistake = typename Reshaped<Record, to...>::mistake;
};

}  // namespace sigma::data::detail

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
template <class Extents, AnyTransforms X>
error_array_needs_a_name<Extents> operator>>(const ArrayOf<Extents>&, const X&);
template <AnyTransforms X>
error_table_needs_sections operator>>(const Table&, const X&);

namespace detail {

template <class F>
concept FunctionOfNumbers = std::is_invocable_r_v<float, F, float> || std::is_invocable_v<F, std::span<float>> ||
                            std::is_invocable_v<F, std::span<double>>;

/// Does it keep the digits of a double?
template <class F>
constexpr bool keeps_doubles() {
    if constexpr (std::is_invocable_r_v<double, F, double>)
        return !std::is_same_v<std::invoke_result_t<F, double>, float>;
    else return std::is_invocable_v<F, std::span<double>>;
}

/// A function of the user's on the numbers of one record.
class UserFunction {
public:
    /// From float(float), for each number, or void(std::span<float>), for the numbers of a record; or the same of
    /// double.
    template <class F>
        requires(!std::same_as<std::remove_cvref_t<F>, UserFunction> && FunctionOfNumbers<F>)
    UserFunction(F f) {
        if constexpr (keeps_doubles<F>()) of_doubles_ = on_records<double>(f);
        if constexpr (std::is_invocable_r_v<float, F, float>) of_floats_ = on_records<float>(std::move(f));
        else if constexpr (std::is_invocable_v<F, std::span<float>>) of_floats_ = std::move(f);
    }
    /// Of records of `size` numbers each. Throws ArgumentError, with this name, for doubles where it is one of floats.
    void operator()(NumberList& values, std::size_t size, const std::string& name) const;

private:
    sigma::detail::AnyFunction<void(std::span<float>)> of_floats_;
    sigma::detail::AnyFunction<void(std::span<double>)> of_doubles_;

    template <class T, class F>
    static auto on_records(F f) {
        if constexpr (std::is_invocable_r_v<T, F, T>)
            return [f = std::move(f)](std::span<T> record) {
                for (T& x : record) x = static_cast<T>(f(x));
            };
        else return f;
    }
};

}  // namespace detail

/// A function under the name that it has in files: Preprocessing::load(file, {{"log", f}}).
struct NamedFunction {
    std::string name;
    detail::UserFunction function;
};

}  // namespace sigma::data
