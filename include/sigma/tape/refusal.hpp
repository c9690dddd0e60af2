// SPDX-License-Identifier: BSL-1.0
#pragma once
/// @file
/// Mistakes in shapes and numbers, for layers and losses of your own: Fault, Given, MistakeError. Included by
/// `<sigma/sigma.hpp>`.
#include <sigma/core/extent.hpp>
#include <sigma/core/shape.hpp>
#include <sigma/core/text.hpp>
#include <sigma/tape/tape.hpp>

#include <utility>

// A mistake in a formula or a network is a value: a Fault and the numbers that explain it. At compile time the trace
// keeps the first mistake, and the check of the network names it by a type without a definition. At run time it is
// thrown.
namespace sigma {

struct NumberRange;

/// A mistake in shapes or numbers, for `Tensor::refused`. The name of the object appears in compiler messages.
///
/// @par Example
/// @code
/// static constexpr Fault error_Scale_must_be_positive{"Scale: the factor must be positive"};
/// @endcode
///
/// @see Tensor::refused, Given
struct Fault {
    const char* sentence;  ///< Text of the MistakeError at run time.
};

namespace detail {

constexpr int thousandths(double x) {
    const double scaled = x * 1000;
    if (!(scaled > -2e9 && scaled < 2e9)) return x < 0 ? -2000000000 : 2000000000;
    const int down = static_cast<int>(scaled);
    return down == scaled ? down : x < 0 ? down - 1 : down + 1;
}

}  // namespace detail

/// A labelled value that explains a mistake: a number, a shape or a text. Compiler messages show a double times 1000,
/// rounded away from 0.
///
/// @par Example
/// @code
/// static constexpr Given::Label factor_given{"factor"};
/// constexpr Given explanation{factor_given, -1.5};
/// @endcode
///
/// @see Tensor::refused, Fault
struct Given {
    /// A label: the name of a value.
    struct Label {
        const char* words;  ///< Text in a MistakeError.
        bool numbers =
            false;  ///< True for a list of numbers that is no shape: negative ones are no multiples of the batch.
    };
    /// @cond internal
    enum class Kind : char { nothing, number, real, shape, text };
    Kind kind = Kind::nothing;
    const Label* label = nullptr;
    Shape value{};
    double real = 0;
    Text text{};

    /// @endcond

    /// Constructs no value.
    constexpr Given() = default;
    /// Constructs an integer.
    /// @param label_  the label
    /// @param number  the number
    constexpr Given(const Label& label_, int number) : kind(Kind::number), label(&label_), value(number) {}
    /// Constructs a number.
    /// @param label_  the label
    /// @param number  the number
    constexpr Given(const Label& label_, double number)
        : kind(Kind::real), label(&label_), value(detail::thousandths(number)), real(number) {}
    /// Constructs a shape.
    /// @param label_  the label
    /// @param shape  the shape
    constexpr Given(const Label& label_, const Shape& shape) : kind(Kind::shape), label(&label_), value(shape) {}
    /// Constructs a text.
    /// @param label_  the label
    /// @param text_  the text
    constexpr Given(const Label& label_, const Text& text_) : kind(Kind::text), label(&label_), text(text_) {}
};

/// A mistake in a compiler's message: its Fault and the values that explain it. In a shape, -1 is the batch.
///
/// @see docs/errors.md
template <const Fault& what, class... given>
struct mistake;
/// A number or a shape in a compiler's message: `given<units_given, 0>`.
///
/// @see docs/errors.md
template <const Given::Label& what, int... numbers>
struct given;
/// A text in a compiler's message: `given_name<name_is, text_is<"width">>`.
///
/// @see docs/errors.md
template <const Given::Label& what, class text>
struct given_name;
/// A shape with named sizes in a compiler's message: `given_sizes<input_is, extent_is<-1>, dim_is<text_is<"width">,
/// 4>>`. The size 4 · width + 1 is `dim_is<text_is<"width">, 4, 1>`.
///
/// @see docs/errors.md
template <const Given::Label& what, class... sizes>
struct given_sizes;
template <int>
struct extent_is;
template <class name, int... times_and_plus>
struct dim_is;
/// A layer in a compiler's message, by its number and its kind: `at_layer<3, Dense::kind>`.
///
/// @see docs/errors.md
template <int number, const Text& kind>
struct at_layer;
/// A line in a compiler's message, in the file of the formula.
///
/// @see docs/errors.md
template <int number>
struct at_line;

inline constexpr Fault error_size_has_a_name_but_its_layer_no_each_size{
    "a size has a name, but its layer does not list it in each_size"};

/// Thrown for a mistake in a network or function at run time.
///
/// Its text has the layer, the mistake and the values: "layer '2-dense': dot: as many columns of x as rows of w are
/// needed; columns of x 7; rows of w 8; line 14". In a compile-time network the same mistake is a compiler error.
///
/// @see Fault
struct MistakeError : Error {
    using Error::Error;
};

namespace detail {

struct Refusal {
    static constexpr int most = 4;
    const Fault* fault = nullptr;
    Given given[most]{};
    int layer = -1;  ///< number of the layer in the network, or -1
    const Text* kind = nullptr;
    int line = 0;  ///< line of the user's formula

    constexpr explicit operator bool() const { return fault != nullptr; }
    constexpr int given_count() const {
        int n = 0;
        while (n < most && given[n].kind != Given::Kind::nothing) ++n;
        return n;
    }
};

/// Throws the MistakeError. `place` is the name of the layer, empty outside of layers.
[[gnu::cold]] [[noreturn]] void throw_mistake(const Refusal& refusal, const Text& place);

constexpr bool has_unsettled(const Shape& s) {
    for (int i = 0; i < s.rank; ++i)
        if (s[i] < unsettled / 2) return true;  // or a multiple of it
    return false;
}
/// The trace of a formula: keeps the first mistake.
class Trace : public Tracer {
public:
    /// @cond internal
    Refusal refusal{};
    int layer = -1;  ///< number of the layer being traced
    const Text* kind = nullptr;
    Text (*place)(const Trace&) = nullptr;  ///< returns the layer's name
    /// Adds a number that may change later. Null if all numbers are constants.
    int (*hyperparameter)(Trace&, const Text& name, double value, const NumberRange& range) = nullptr;

    constexpr bool failed() const { return refusal.fault != nullptr; }
    constexpr void refuse(const Fault& fault, const Given& a = {}, const Given& b = {}, const Given& c = {},
                          const Given& d = {}, int line = 0) {
        if (failed()) return;
        refusal = {&fault, {a, b, c, d}, layer, kind, line};
        for (const Given& g : refusal.given)
            if (has_unsettled(g.value)) refusal = {&error_size_has_a_name_but_its_layer_no_each_size, {}, layer, kind};
        if (!std::is_constant_evaluated()) throw_mistake(refusal, place ? place(*this) : Text{});
    }
    /// @endcond
};

/// Reports a mistake to the trace of a tape, or throws it if there is no trace.
constexpr void refuse(const Tape& tape, const Fault& fault, const Given& a, const Given& b, const Given& c,
                      const Given& d, int line = 0) {
    if (tape.tracer.tracer == nullptr) throw_mistake({&fault, {a, b, c, d}, -1, nullptr, line}, Text{});
    static_cast<Trace&>(*tape.tracer).refuse(fault, a, b, c, d, line);
}

/// Returns a number, or the named size that it stands for. `names` are the names of the network.
template <int n, const SizeNames& names>
consteval auto spelled_number() {
    constexpr DecodedSize d = decoded(n, names);
    if constexpr (d.name < 0) return std::type_identity<extent_is<n>>{};
    else {
        using Name = typename SpelledText<*names.names[d.name]>::type;
        if constexpr (d.number != 0) return std::type_identity<dim_is<Name, d.times, d.number>>{};
        else if constexpr (d.times != 1) return std::type_identity<dim_is<Name, d.times>>{};
        else return std::type_identity<dim_is<Name>>{};
    }
}
template <class Of>
constexpr bool has_named_sizes(const Shape& numbers) {
    if constexpr (requires { Of::sizes.count; })
        for (int i = 0; i < numbers.rank; ++i)
            if (decoded(numbers[i], Of::sizes).name >= 0) return true;
    return false;
}
/// The type that names `Of::refusal`: `typename SpelledRefusal<Of>::type`.
template <class Of, int i, class Numbers>
struct SpelledNumbers;
template <class Of, int i, int... k>
struct SpelledNumbers<Of, i, std::integer_sequence<int, k...>> {
    static consteval auto spelled() {
        constexpr const Shape& value = Of::refusal.given[i].value;
        if constexpr (has_named_sizes<Of>(value))
            return std::type_identity<
                given_sizes<*Of::refusal.given[i].label,
                            typename decltype(spelled_number<value.extent[k], Of::sizes>())::type...>>{};
        else return std::type_identity<given<*Of::refusal.given[i].label, value.extent[k]...>>{};
    }
    using type = typename decltype(spelled())::type;
};
template <class Of, int i, bool text = Of::refusal.given[i].kind == Given::Kind::text>
struct GivenOf : SpelledNumbers<Of, i, std::make_integer_sequence<int, Of::refusal.given[i].value.rank>> {};
template <class Of, int i>
struct GivenOf<Of, i, true> {
    using type = given_name<*Of::refusal.given[i].label, typename SpelledText<Of::refusal.given[i].text>::type>;
};
template <class Of, int i>
using SpelledGiven = typename GivenOf<Of, i>::type;
template <class Of, class Numbers = std::make_integer_sequence<int, Of::refusal.given_count()>>
struct SpelledRefusal;
template <class Of, int... i>
struct SpelledRefusal<Of, std::integer_sequence<int, i...>> {
    static consteval auto spelled() {
        constexpr bool in_layer = Of::refusal.kind != nullptr, at_formula = Of::refusal.line > 0;
        if constexpr (in_layer && at_formula)
            return std::type_identity<
                mistake<*Of::refusal.fault, SpelledGiven<Of, i>..., at_layer<Of::refusal.layer, *Of::refusal.kind>,
                        at_line<Of::refusal.line>>>{};
        else if constexpr (in_layer)
            return std::type_identity<
                mistake<*Of::refusal.fault, SpelledGiven<Of, i>..., at_layer<Of::refusal.layer, *Of::refusal.kind>>>{};
        else if constexpr (at_formula)
            return std::type_identity<mistake<*Of::refusal.fault, SpelledGiven<Of, i>..., at_line<Of::refusal.line>>>{};
        else return std::type_identity<mistake<*Of::refusal.fault, SpelledGiven<Of, i>...>>{};
    }
    using type = typename decltype(spelled())::type;
};

}  // namespace detail
}  // namespace sigma

#ifndef SIGMA_COMPILED
#include <sigma/tape/impl/refusal.ipp>
#endif
