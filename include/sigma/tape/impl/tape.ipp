// SPDX-License-Identifier: BSL-1.0
#pragma once

#include <sigma/core/config.hpp>
#include <sigma/tape/tape.hpp>

namespace sigma::detail {

SIGMA_IMPL int Tape::emit_now(const Node& n) { return emitted(n); }

}  // namespace sigma::detail
