// SPDX-License-Identifier: BSL-1.0
#pragma once
#include <sigma/core/error.hpp>
#include <sigma/core/number_text.hpp>
#include <sigma/tape/custom_functions.hpp>
#include <sigma/tape/refusal.hpp>

namespace sigma::detail {

/// The first of all custom operations. It is null before any constructor runs.
SIGMA_IMPL const CustomFunctions*& all_custom_functions() {
    static constinit const CustomFunctions* first = nullptr;
    return first;
}

SIGMA_IMPL bool enter(CustomFunctions& functions) {
    functions.next = all_custom_functions();
    all_custom_functions() = &functions;
    return true;
}

/// Returns the operation of a number, or null.
SIGMA_IMPL const CustomFunctions* found_functions(std::uint64_t number) {
    const CustomFunctions* found = nullptr;
    // Of one struct, two shared libraries may have functions each. Structs of two anonymous namespaces have equal
    // names.
    const auto differ = [](const CustomFunctions& a, const CustomFunctions& b) {
        return a.type != b.type || (a.type.find("anonymous") != a.type.npos && a.in_float[0] != b.in_float[0]);
    };
    for (const CustomFunctions* f = all_custom_functions(); f != nullptr; f = f->next) {
        if (f->number >> 3 != number >> 3) continue;
        if (found != nullptr && differ(*found, *f))
            throw ArgumentError::with_text(
                sentence("the custom operations ", found->type, " and ", f->type, " have the same name, '", f->name,
                         "': give one of them another name"),
                "different names", std::string(f->name));
        found = f;
    }
    return found;
}

SIGMA_IMPL const CustomFunctions* custom_functions(std::string_view name) {
    return found_functions(custom_number(name, false));
}

SIGMA_IMPL const CustomFunctions& custom_functions(std::uint64_t part) {
    if (const CustomFunctions* const f = found_functions(part)) return *f;
    throw ArgumentError::with_text("a custom operation is used before main() has begun, or is not in this program",
                                   "a known custom operation", "none");
}

SIGMA_IMPL void error_custom_operation_has_first_derivatives_only(std::uint64_t part) {
    throw MistakeError(sentence("the gradient of the custom operation '", custom_functions(part).name,
                                "' has no gradient itself: write it in the tensor language"));
}

}  // namespace sigma::detail
