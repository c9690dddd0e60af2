// SPDX-License-Identifier: BSL-1.0
#pragma once
#include "terminal/grid.hpp"

#include <optional>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

namespace sigma::monitor {

/// A series as a chart draws it: in order of x, numbers that are not finite are gaps.
struct Curve {
    std::string name;
    std::vector<std::pair<double, double>> points{};
    std::optional<double> last{};
    std::vector<std::pair<double, double>> odd{};  ///< x, and a number there that is not finite
};

/// "0.1234", "1.2e-05": four digits.
std::string short_number(double x);

/// How many points are worth having for a chart of so many columns.
std::size_t points_of_chart(std::size_t columns);

/// Curves over the same axes: a line with their names and last values, the plot with least and greatest y beside it and
/// x below. Where there is too little room for axes they are left out. A chosen chart has a marked title. Numbers that
/// are not finite stand at the edges as marks. `ended` says how the run has ended.
void draw_chart(Grid& to, const Area& area, const std::vector<Curve>& curves, std::string_view title, bool chosen,
                std::string_view ended = {});

}  // namespace sigma::monitor
