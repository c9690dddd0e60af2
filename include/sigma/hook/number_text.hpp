// SPDX-License-Identifier: BSL-1.0
#pragma once

#include <string>

namespace sigma::detail {

/// A number to be read by people: from 1000 on whole, else with so many `decimals` (1 to 6), and where these would leave
/// less than two digits, as "2.13e-05". NaN, a value that was never computed, is "-".
void append_number(std::string& to, double x, int decimals);
/// How many times something has happened.
void append_count(std::string& to, double x);
/// All digits, for programs: reading them gives x again. NaN is nothing.
void append_exact(std::string& to, double x);

}  // namespace sigma::detail

#ifndef SIGMA_COMPILED
#include <sigma/hook/impl/number_text.ipp>
#endif
