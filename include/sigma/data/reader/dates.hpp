// SPDX-License-Identifier: BSL-1.0
#pragma once
#include <sigma/data/reader/columns.hpp>

#include <optional>
#include <string_view>

namespace sigma::data::detail {

/// What `options.part` says of the date that is the whole text; nothing where it is none of that format, or no day of
/// the calendar (which is the Gregorian one at all times).
std::optional<double> number_of_date(std::string_view text, const DateOptions& options);

}  // namespace sigma::data::detail

#ifndef SIGMA_COMPILED
#include <sigma/data/reader/impl/dates.ipp>
#endif
