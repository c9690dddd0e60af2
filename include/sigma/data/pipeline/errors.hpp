// SPDX-License-Identifier: BSL-1.0
#pragma once

/// What a wrong pipeline is told, as names of types that are never defined; see `tape/errors.hpp`.
namespace sigma {

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
template <class...>
struct network_takes;
template <class...>
struct data_gives;
template <class, class>
struct error_network_takes_other_extents;

}  // namespace sigma
