// SPDX-License-Identifier: BSL-1.0
#pragma once
/// @file
/// Names, roles and extents of sections: `inputs`, `targets`, `input<"image">`. Included by `<sigma/sigma.hpp>`.

#include <sigma/core/shape.hpp>
#include <sigma/core/text.hpp>
#include <sigma/data/block.hpp>

#include <string>
#include <vector>

// Mistakes in pipelines, as names of types that are never defined; see `tape/mistake.hpp`.
/// @cond internal
namespace sigma {

#ifdef __clang__
template <char...>
struct section_named;
template <Text name>
using section = typename detail::SpelledAs<name, section_named>::type;
#else
template <Text>
struct section;
#endif
template <class...>
struct sections_are;

template <class, class>
struct error_no_such_section;
template <class, class>
struct error_section_twice;
template <int>
struct column_number;
template <class, class>
struct error_last_column_before_first;
template <class>
struct error_columns_are_from_the_first_to_the_last;
struct use_column;
struct use_braces_around_several;
template <class...>
struct error_columns_have_no_section_yet;
template <class>
struct error_dataset_needs_inputs_and_targets;
template <class>
struct error_array_needs_a_name;
struct error_table_needs_sections;
struct use_dataset_behind_it;
template <class>
struct error_minibatches_need_a_dataset;
template <class>
struct error_source_is_a_text_and_not_file_or_url;
struct use_data_file;
template <class>
struct error_source_is_a_file_of_namespace_data;
template <class, class>
struct error_no_such_input_to_augment;
template <class>
struct error_windows_of_several_inputs_need_targets;
template <int>
struct classes_given;
template <class, class>
struct error_one_hot_needs_a_class;
template <class, class>
struct error_reshape_needs_extents_of_at_least_1;
template <class, class>
struct error_function_takes_neither_a_float_nor_a_span_of_float;
template <class>
struct error_only_inputs_can_be_augmented;
template <int...>
struct extents_are;
template <class>
struct error_extents_of_a_record_are_above_zero;

}  // namespace sigma
/// @endcond

namespace sigma::data {

/// The role of a section.
///
/// @see SectionName
enum class Role {
    input,  ///< data that a network receives
    target  ///< data that a network learns to predict
};

/// The extents of a record, if the compiler knows them. `Extents<>` means one number.
///
/// @tparam extents  extents of a record
///
/// @see DatasetOf
template <int... extents>
struct Extents {
    static constexpr bool known = true;  ///< the compiler knows the extents
    /// Returns the extents.
    static std::vector<std::size_t> list() { return {static_cast<std::size_t>(extents)...}; }
};
/// Extents that are all at least 1.
///
/// @see Extents
template <int... extents>
concept AboveZero = ((extents > 0) && ...);
/// Extents that only the file knows.
///
/// @see Extents
struct UnknownExtents {
    static constexpr bool known = false;  ///< the compiler does not know the extents
};

/// One section of a pipeline, for the compiler: `SectionField<"inputs", Role::input, Extents<28, 28>>`.
///
/// @tparam name_     name of the section
/// @tparam role_     input or target
/// @tparam Extents_  extents of a record, or UnknownExtents
///
/// @see Schema
template <Text name_, Role role_, class Extents_>
struct SectionField {
    static constexpr Text name = name_;  ///< name of the section
    static constexpr Role role = role_;  ///< input or target
    using Record = Extents_;             ///< extents of a record
};

/// The sections of a pipeline or a dataset, in order.
///
/// @tparam Fields  one SectionField for each section
///
/// @see DatasetOf, Pipeline
template <class... Fields>
struct Schema {
    /// Returns whether a section has this name.
    /// @param name  the name
    static constexpr bool has(const Text& name) { return ((Fields::name == name) || ...); }
    /// Returns whether an input has this name.
    /// @param name  the name
    static constexpr bool has_input(const Text& name) {
        return ((Fields::role == Role::input && Fields::name == name) || ...);
    }
    /// Returns whether there are at least one input and one target.
    static constexpr bool has_inputs_and_targets() {
        return ((Fields::role == Role::input) || ...) && ((Fields::role == Role::target) || ...);
    }
};

namespace detail {

/// The meaning of the call of a section's name, which a header may define: <sigma/hana.hpp> does for inputs of a
/// network.
template <Text name>
struct Called;

}  // namespace detail

/// The name of a section: `inputs`, `targets`, `input<"image">`, `target<"label">`.
///
/// Assign an array or columns to it: `inputs = idx<28, 28>(file("images"))` is a pipeline with this one section.
///
/// @tparam name_  name of the section
/// @tparam role_  input or target
///
/// @see inputs, targets, input, target
template <Text name_, Role role_>
struct SectionName {
    static constexpr Text name = name_;  ///< name of the section
    static constexpr Role role = role_;  ///< input or target
    /// Returns the name as a text.
    static std::string text() { return std::string(name.view()); }

    /// @cond internal
    template <class X, class C = detail::Called<name_>>
        requires requires(const X& x) { C::of(x); }
    constexpr auto operator()(const X& x) const {
        return C::of(x);
    }

    /// @endcond

    /// Makes a section of an array of a reader, or of columns of a table.
    /// @param from  `array(x)`, `idx<28, 28>(source)`, `columns(0, 3)` and similar
    /// @return a pipeline of an array, or columns with a section, for `sections`
    template <class X>
    constexpr auto operator=(X from) const {
        return from.template named<name_, role_>();
    }
};

// Inline, so that a program may qualify the names or not.
inline namespace section_words {
/// The name of an input: `input<"image">`. A network with several inputs has one of each name.
///
/// @tparam name  name of the section
///
/// @par Example
/// @code
/// using namespace sigma::data;
/// const auto fruits = csv(file("fruits.csv"), {.header = true}) >>
///                     sections(input<"numbers"> = columns<0, 1>(), input<"colour"> = labels("colour"),
///                              targets = labels("kind"));
/// @endcode
///
/// @see inputs, sections, zip
template <Text name>
inline constexpr SectionName<name, Role::input> input{};
/// The name of a target: `target<"label">`. A network with several losses has one of each name.
///
/// @tparam name  name of the section
///
/// @see targets, sections, zip
template <Text name>
inline constexpr SectionName<name, Role::target> target{};
/// The name of the input of a dataset with one input.
///
/// @par Example
/// @code
/// using namespace sigma::data;
/// auto iris = csv(file("iris.data")) >> sections(inputs = columns(0, 3), targets = labels(4)) >> dataset("iris");
/// @endcode
///
/// @see input, targets, sections, zip
inline constexpr SectionName<"inputs", Role::input> inputs{};
/// The name of the target of a dataset with one target.
///
/// @see target, inputs, sections, zip
inline constexpr SectionName<"targets", Role::target> targets{};
}  // namespace section_words

}  // namespace sigma::data
