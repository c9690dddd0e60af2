// SPDX-License-Identifier: BSL-1.0
#pragma once

#include <sigma/core/config.hpp>
#include <sigma/hook/save.hpp>

namespace sigma {

SIGMA_IMPL void SaveWord::check(const std::string& name) {
    if (name.empty() || name.find('/') != std::string::npos)
        throw ArgumentError("save", "a trainer whose name a file can have, or the name of a file",
                            name.empty() ? "a trainer without a name" : sentence("trainer '", name, "'"));
}

}  // namespace sigma
