// SPDX-License-Identifier: BSL-1.0
// What a monitor takes as JSON is JSON, at most 16 levels deep, and what it makes of it is that again.
#include "json.hpp"

#include "target.hpp"

#include <algorithm>
#include <string_view>

namespace {

using fuzz::require;
using sigma::monitor::Json;

int depth_of(const Json& value) {
    if (!value.is_structured()) return 0;
    int deepest = 0;
    for (const Json& part : value) deepest = std::max(deepest, depth_of(part));
    return 1 + deepest;
}

}  // namespace

bool fuzz_accepts(const std::uint8_t* data, std::size_t size) {
    const std::string_view text(reinterpret_cast<const char*>(data), size);
    const auto value = sigma::monitor::parsed(text);
    if (!value) return false;
    require(Json::accept(text));
    require(depth_of(*value) <= 16);
    const std::string again = sigma::monitor::text_of(*value);
    const auto same = sigma::monitor::parsed(again);
    require(same.has_value() && *same == *value);
    require(sigma::monitor::text_of(*same) == again);
    for (const char* name : {"a", "name", "value", ""}) {
        const Json object = value->is_object() ? *value : Json{{"a", *value}};
        require(object.contains(name) || sigma::monitor::text_in(object, name).empty());
        require(object.contains(name) || sigma::monitor::number_in(object, name) == 0);
    }
    return true;
}

/// Nothing to repair: a change is as good as it is.
void fuzz_repair(std::string&) {}
