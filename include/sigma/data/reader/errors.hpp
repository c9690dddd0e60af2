// SPDX-License-Identifier: BSL-1.0
#pragma once

/// What wrong selections of columns are told, as names of types that are never defined; see `tape/errors.hpp`.
namespace sigma {

template <int>
struct column_number;

template <class, class>
struct error_last_column_before_first;
template <class...>
struct error_columns_have_no_section_yet;

}  // namespace sigma
