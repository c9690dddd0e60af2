// SPDX-License-Identifier: BSL-1.0
#pragma once
#include "terminal/grid.hpp"

#include <optional>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

namespace sigma::monitor {

/// A series for a chart, in order of x. Numbers that are not finite are gaps.
struct Curve {
    std::string name;
    std::vector<std::pair<double, double>> points{};
    std::optional<double> last{};
    std::vector<std::pair<double, double>> odd{};  ///< numbers that are not finite, with their x
};

/// Formats a number with four digits: "0.1234", "1.2e-05".
std::string short_number(double x);

/// Returns the number of points that a chart of this width can show.
std::size_t points_of_chart(std::size_t columns);

/// Draws curves over common axes: a line with their names and last values, then the plot with minimum and maximum of y
/// beside it and x below. Omits axes if there is too little room. Marks the title of the chosen chart, and numbers that
/// are not finite at the edges. `ended` is how the run has ended.
void draw_chart(Grid& to, const Area& area, const std::vector<Curve>& curves, std::string_view title, bool chosen,
                std::string_view ended = {});

}  // namespace sigma::monitor
