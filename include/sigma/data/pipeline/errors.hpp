// SPDX-License-Identifier: BSL-1.0
#pragma once
#include <sigma/core/spelled_text.hpp>

/// What a wrong pipeline is told, as names of types that are never defined; see `tape/errors.hpp`.
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
