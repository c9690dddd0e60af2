// SPDX-License-Identifier: BSL-1.0
#pragma once

#include <sigma/core/config.hpp>
#include <sigma/hook/report.hpp>

namespace sigma::detail {

SIGMA_IMPL void append_field(std::string& to, std::string_view field) {
    if (field.find_first_of(",\"\n") == field.npos) {
        to += field;
        return;
    }
    to += '"';
    for (const char c : field) to.append(c == '"' ? 2 : 1, c);
    to += '"';
}

}  // namespace sigma::detail
