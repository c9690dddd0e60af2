// SPDX-License-Identifier: BSL-1.0
#pragma once
#include <sigma/monitor/panel.hpp>

#include "json.hpp"

#include <string>
#include <vector>

namespace sigma::monitor {

/// Throws ArgumentError for a panel that could never show anything.
void check(const Panel& panel);
/// Names that stay the same when other panels come or go, as browsers remember an arrangement by them: kind, title and
/// trainer in letters and digits of ASCII; of those alike, the later ones are numbered.
std::vector<std::string> ids_of(const std::vector<Panel>& panels);
/// What the page is told of a panel, besides whose it is.
Json described(const Panel& panel);

}  // namespace sigma::monitor
