// SPDX-License-Identifier: BSL-1.0
#pragma once

#include <sigma/core/shape.hpp>
#include <sigma/core/text.hpp>
#include <sigma/data/block.hpp>

#include <string>
#include <vector>

/// What a wrong pipeline is told, as names of types that are never defined; see `tape/mistake.hpp`.
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
struct write_column;
struct write_braces_around_several;
template <class...>
struct error_columns_have_no_section_yet;
template <class>
struct error_section_has_a_name_already;
template <class>
struct error_dataset_needs_inputs_and_targets;
template <class>
struct error_array_needs_a_name;
struct error_table_needs_sections;
struct write_dataset_behind_it;
template <class>
struct error_minibatches_need_a_dataset;
template <class>
struct error_source_is_a_text_and_not_file_or_url;
struct write_data_file;
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

namespace sigma::data {

enum class Role { input, target };

/// The extents of a record where the compiler knows them.
template <int... extents>
struct Extents {
    static constexpr bool known = true;
    static std::vector<std::size_t> list() { return {static_cast<std::size_t>(extents)...}; }
};
template <int... extents>
concept AboveZero = ((extents > 0) && ...);
/// Extents that only the file knows.
struct UnknownExtents {
    static constexpr bool known = false;
};

/// One section of a pipeline, for the compiler: SectionField<"inputs", Role::input, Extents<28, 28>>.
template <Text name_, Role role_, class Extents_>
struct SectionField {
    static constexpr Text name = name_;
    static constexpr Role role = role_;
    using Record = Extents_;
};

/// The sections of a pipeline, in order.
template <class... Fields>
struct Schema {
    static constexpr bool has(const Text& name) { return ((Fields::name == name) || ...); }
    static constexpr bool has_input(const Text& name) {
        return ((Fields::role == Role::input && Fields::name == name) || ...);
    }
    static constexpr bool has_inputs_and_targets() {
        return ((Fields::role == Role::input) || ...) && ((Fields::role == Role::target) || ...);
    }
};

namespace detail {

/// What a section's name means when it is called: a header that knows says so, <sigma/hana.hpp> of a network's inputs.
template <Text name>
struct Called;

}  // namespace detail

/// The name of a section, as users write it: `inputs`, `targets`, `input<"image">`, `target<"label">`. Given an array
/// that is read, it makes a pipeline with this one section: `inputs = idx<28, 28>(file("images"))`.
template <Text name_, Role role_>
struct SectionName {
    static constexpr Text name = name_;
    static constexpr Role role = role_;
    static std::string text() { return std::string(name.view()); }

    template <class X, class C = detail::Called<name_>>
        requires requires(const X& x) { C::of(x); }
    constexpr auto operator()(const X& x) const {
        return C::of(x);
    }

    /// Defined for arrays in pipeline.hpp, for columns of tables in reader/csv.hpp.
    template <class X>
    constexpr auto operator=(X from) const {
        return from.template named<name_, role_>();
    }
};

// Constants of the user's vocabulary, inline so that a program may qualify them.
inline namespace section_words {
template <Text name>
inline constexpr SectionName<name, Role::input> input{};
template <Text name>
inline constexpr SectionName<name, Role::target> target{};
inline constexpr SectionName<"inputs", Role::input> inputs{};
inline constexpr SectionName<"targets", Role::target> targets{};
}  // namespace section_words

}  // namespace sigma::data
