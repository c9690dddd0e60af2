// SPDX-License-Identifier: BSL-1.0
#pragma once
#include <nlohmann/json.hpp>

#include <optional>
#include <string>
#include <string_view>

namespace sigma::monitor {

using Json = nlohmann::json;

/// What is not UTF-8 becomes U+FFFD; numbers that are not finite become null.
std::string text_of(const Json& value);
/// Nothing for what is no JSON, is not UTF-8, or is nested more than 16 deep.
std::optional<Json> parsed(std::string_view text);

/// A number; one that is not finite is null, or one of the words "nan", "inf" and "-inf".
Json number_or_null(double x);
Json number_or_word(double x);

/// A member of an object, where it is a text or a number; else the empty text and 0.
std::string text_in(const Json& object, const char* name);
double number_in(const Json& object, const char* name);

}  // namespace sigma::monitor
