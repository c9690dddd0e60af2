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

template <int...>
struct extents_are;

template <class>
struct error_extents_of_a_record_are_above_zero;

}  // namespace sigma
