// SPDX-License-Identifier: BSL-1.0
#pragma once
/// @file
/// Chains of transforms and their effect on the extents that the compiler knows. Included by `<sigma/data/data.hpp>`.

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

// Effects of transforms on the extents of a record, for the compiler: `after<Record>` are the extents afterwards, and
// `mistake<Record>` is void, or the type that names the mistake.
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

/// The effect of a transform with extents that only the file or the program knows.
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

/// A transform as you write it, with the names of its sections; no names mean all sections. `standardize(inputs)`
/// returns one.
///
/// @tparam Effect  what the compiler knows about the extents afterwards
/// @tparam names   names of the sections
///
/// @see standardize
template <class Effect, Text... names>
struct Transforming {
    TransformPointer transform;  ///< the transform

    /// Returns the transform as a list of steps.
    TransformSteps steps() const {
        if constexpr (sizeof...(names) == 0) return TransformSteps(transform, {});
        else return TransformSteps(transform, std::array{names.view()...});
    }
};

/// Transforms one after the other, without data: `normalize(inputs, 0, 255) >> standardize(inputs)`.
///
/// @tparam T  the transforms
///
/// @par Example
/// @code
/// using namespace sigma::data;
/// const auto chain = min_max(inputs) >> clamp(inputs, 0, 1);
/// const auto flowers = iris() >> chain;
/// @endcode
///
/// @see fitted
template <class... T>
class TransformChain {
public:
    /// Constructs a chain.
    /// @param steps  its transforms
    explicit TransformChain(TransformSteps steps) : steps_(std::move(steps)) {}
    /// Returns the transforms as a list of steps.
    const TransformSteps& steps() const& { return steps_; }
    /// @copydoc steps
    TransformSteps steps() && { return std::move(steps_); }

private:
    TransformSteps steps_;
};

namespace detail {

/// The chain of a transform, or of a chain of transforms.
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

/// The schema after one transform.
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

/// The schema after several transforms, and their first mistake.
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

/// A transform or a chain of transforms.
///
/// @see TransformChain
template <class X>
concept AnyTransforms = requires { typename detail::ChainOf<std::remove_cvref_t<X>>::type; };

/// The schema of records after transforms: `type`. Its member `mistake` is void if the transforms fit.
///
/// @see TransformsFit
template <class S, AnyTransforms X>
using SchemaAfter = detail::AfterChain<S, typename detail::ChainOf<std::remove_cvref_t<X>>::type>;

/// Transforms that fit the sections of a schema.
///
/// @see DatasetOf
template <class S, class X>
concept TransformsFit = AnyTransforms<X> && std::is_void_v<typename SchemaAfter<S, X>::mistake>;

/// Joins transforms: the first ones, followed by the others.
/// @param first  a transform or a chain
/// @param then   a transform or a chain
/// @return a chain
template <AnyTransforms A, AnyTransforms B>
auto operator>>(const A& first, const B& then) {
    return typename detail::ChainedTypes<typename detail::ChainOf<A>::type, typename detail::ChainOf<B>::type>::type(
        first.steps() + then.steps());
}

/// Adds transforms to a pipeline.
/// @param pipeline    the pipeline
/// @param transforms  a transform or a chain
/// @return a pipeline with the sections after the transforms
///
/// @see standardize, normalize, docs/transforms.md
template <class S, AnyTransforms X>
    requires TransformsFit<S, X>
auto operator>>(const Pipeline<S>& pipeline, const X& transforms) {
    return Pipeline<typename SchemaAfter<S, X>::type>{pipeline.reader, pipeline.steps + transforms.steps()};
}
/// @cond internal
template <class S, AnyTransforms X>
    requires(!TransformsFit<S, X>)
auto operator>>(const Pipeline<S>&, const X&)
    -> decltype(sigma::detail::plainly(std::type_identity<typename SchemaAfter<S, X>::mistake>{}));
template <class Extents, AnyTransforms X>
error_array_needs_a_name<Extents> operator>>(const ArrayOf<Extents>&, const X&);
template <AnyTransforms X>
error_table_needs_sections operator>>(const Table&, const X&);
/// @endcond

namespace detail {

template <class F>
concept FunctionOfNumbers = std::is_invocable_r_v<float, F, float> || std::is_invocable_v<F, std::span<float>> ||
                            std::is_invocable_v<F, std::span<double>>;

/// Returns whether the function keeps the digits of a double.
template <class F>
constexpr bool keeps_doubles() {
    if constexpr (std::is_invocable_r_v<double, F, double>)
        return !std::is_same_v<std::invoke_result_t<F, double>, float>;
    else return std::is_invocable_v<F, std::span<double>>;
}

/// A function of the user on the numbers of one record.
class UserFunction {
public:
    /// Constructs from float(float), for each number, or void(std::span<float>), for the numbers of a record; or from
    /// the same function types of double.
    template <class F>
        requires(!std::same_as<std::remove_cvref_t<F>, UserFunction> && FunctionOfNumbers<F>)
    UserFunction(F f) {
        if constexpr (keeps_doubles<F>()) of_doubles_ = on_records<double>(f);
        if constexpr (std::is_invocable_r_v<float, F, float>) of_floats_ = on_records<float>(std::move(f));
        else if constexpr (std::is_invocable_v<F, std::span<float>>) of_floats_ = std::move(f);
    }
    /// Changes records of `size` numbers each. Throws ArgumentError with this name for doubles if the function is one
    /// of floats.
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

/// A function with the name that it has in files: `Preprocessing::load(file, {{"square", function}})`.
///
/// @par Example
/// @code
/// const auto square = [](float x) { return x * x; };
/// const auto stored = data::Preprocessing::load("model.sigma", {{"square", square}});
/// @endcode
///
/// @see apply
struct NamedFunction {
    std::string name;               ///< name of the function, as in `apply`
    detail::UserFunction function;  ///< the function
};

}  // namespace sigma::data
