// SPDX-License-Identifier: BSL-1.0
#pragma once
#include <sigma/monitor/panel.hpp>

#include "json.hpp"

namespace sigma::monitor {

/// Throws ArgumentError for a panel that could never show anything.
void check(const Panel& panel);
/// What the page is told of a panel, besides whose it is.
Json described(const Panel& panel);

}  // namespace sigma::monitor
