// SPDX-License-Identifier: BSL-1.0
#pragma once
#include <sigma/monitor/distributions.hpp>
#include <sigma/monitor/series.hpp>

#include "json.hpp"

#include <deque>
#include <string_view>
#include <vector>

namespace sigma::monitor {

/// A part of a series as clients get it: x (iterations), y (means), seconds (of running time), and low and high where
/// points were merged; `odd` says where numbers are not finite; `last` is the last y of the whole series; `held`
/// whether its points are changes.
Json history_answer(std::string_view name, const std::vector<Bucket>& buckets, double last, bool held);

/// What a histogram is answered before anything is known: names of tensors, the one that is shown, its distributions.
Json histogram_answer();
Json distributions_answer(const std::deque<Distribution>& distributions);

}  // namespace sigma::monitor
