// SPDX-License-Identifier: BSL-1.0
#pragma once
#include <sigma/core/text.hpp>

namespace sigma::detail {

/// "side" of "1-side"; nothing where that is just the kind.
constexpr Text own_name(const Text& full, const Text& kind) {
    Text name;
    name.append(full.view().substr(full.view().find('-') + 1));
    return name == kind ? Text{} : name;
}

}  // namespace sigma::detail
