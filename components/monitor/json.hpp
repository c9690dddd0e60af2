// SPDX-License-Identifier: BSL-1.0
#pragma once
#include <nlohmann/json.hpp>

#include <optional>
#include <string>
#include <string_view>

namespace sigma::monitor {

using Json = nlohmann::json;

/// Writes JSON. Invalid UTF-8 becomes U+FFFD; numbers that are not finite become null.
std::string text_of(const Json& value);
/// Parses JSON. Returns nothing for invalid JSON, invalid UTF-8, and more than 16 levels.
std::optional<Json> parsed(std::string_view text);

/// Returns a number; null if it is not finite.
Json number_or_null(double x);
/// Returns a number; "nan", "inf", or "-inf" if it is not finite.
Json number_or_word(double x);

/// Returns a text member of an object; the empty text if there is none.
std::string text_in(const Json& object, const char* name);
/// Returns a number member of an object; 0 if there is none.
double number_in(const Json& object, const char* name);

}  // namespace sigma::monitor
