// SPDX-License-Identifier: BSL-1.0
#pragma once
#include <sigma/monitor/series.hpp>

#include "json.hpp"

#include <string_view>
#include <vector>

namespace sigma::monitor {

/// A part of a series as clients get it: x (iterations), y (means), seconds (of running time), and low and high where
/// points were merged; `last` is the last y of the whole series.
Json history_answer(std::string_view name, const std::vector<Bucket>& buckets, double last);

}  // namespace sigma::monitor
