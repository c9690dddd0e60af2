// SPDX-License-Identifier: BSL-1.0
#pragma once
#include <sigma/core/text.hpp>

/// What a wrong pipeline is told, as names of types that are never defined; see `tape/errors.hpp`.
namespace sigma {

template <Text>
struct section;
template <class...>
struct sections_are;

template <class, class>
struct error_no_such_section;
template <class, class>
struct error_section_twice;
template <class>
struct error_section_has_a_name_already;
template <class>
struct error_dataset_needs_inputs_and_targets;
template <class>
struct error_array_needs_a_name;
template <class>
struct error_windows_of_several_inputs_need_targets;

}  // namespace sigma
