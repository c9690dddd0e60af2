// SPDX-License-Identifier: BSL-1.0
#pragma once

#include <sigma/core/config.hpp>
#include <sigma/core/number_text.hpp>
#include <sigma/data/batches/position.hpp>

namespace sigma {

SIGMA_IMPL BatchPosition BatchPosition::from_text(std::string_view text) {
    BatchPosition p;
    const std::size_t slash = text.find('/');
    if (slash != text.npos && detail::read_number(text.substr(0, slash), p.epoch) &&
        detail::read_number(text.substr(slash + 1), p.number))
        return p;
    throw ArgumentError("position of a minibatch", "two numbers as '3/17'", sentence("'", text, "'"));
}

}  // namespace sigma
