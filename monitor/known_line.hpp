// SPDX-License-Identifier: BSL-1.0
#pragma once

namespace sigma::monitor::detail {

/// Whether what this thread prints at present is a trainer's line, which monitors are told apart from that.
bool& prints_known_line();

}  // namespace sigma::monitor::detail
