// SPDX-License-Identifier: BSL-1.0
#pragma once

#include <sigma/core/config.hpp>
#include <sigma/core/text.hpp>

namespace sigma {

SIGMA_IMPL void error_text_is_longer_than_63_characters(std::string_view begin, std::string_view more) {
    throw ArgumentError("name", "at most 63 characters", sentence("'", begin, more, "'"));
}

}  // namespace sigma
