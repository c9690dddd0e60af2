// SPDX-License-Identifier: BSL-1.0
#pragma once
#include <sigma/hook/network_actions.hpp>
#include <sigma/trainer/terminal/draw.hpp>

#include <algorithm>
#include <cmath>

namespace sigma {

namespace detail {

/// Draws what a search has found: "maximised 7: cost 0.0099 after 61 steps", and the picture below.
struct DrawMaximised {
    std::string target;

    template <class T>
    void operator()(const Maximised<T>& found, auto& context) const {
        std::string lines = sentence("maximised ", target, ": cost ", found.cost,
                                     found.success ? " after " : ", no success in ", found.steps, " steps");
        for (const std::string& line : picture(found.input)) lines += "\n" + line;
        context.print(lines);
    }
    static std::string text(const std::string& target) { return sentence("draw_maximised(", target, ")"); }

    /// Between its smallest and its largest element; of several channels the mean, of a vector whose length is a square
    /// that square, of any other a row.
    template <class T>
    static std::vector<std::string> picture(const Array<T>& input) {
        std::size_t rows = 1, columns = input.size();
        if (input.dimension() > 1) {
            rows = input.shape()[0];
            columns = input.shape()[1];
        } else if (const auto side = static_cast<std::size_t>(std::lround(std::sqrt(static_cast<double>(columns))));
                   side * side == columns) {
            rows = columns = side;
        }
        const std::size_t channels = input.size() / (rows * columns);
        std::vector<float> pixels(rows * columns, 0.0f);
        for (std::size_t i = 0; i < input.size(); ++i) pixels[i / channels] += static_cast<float>(input.data()[i]);
        const auto [low, high] = std::ranges::minmax(pixels);
        for (float& x : pixels) x = high > low ? (x - low) / (high - low) : 0.0f;
        return terminal::draw_lines(pixels, rows, columns, terminal::has_utf8());
    }
};

}  // namespace detail

/// As an action: every(5, epoch).then(draw_maximised(7)).in_background() prints the input for which the network is
/// surest of class 7 as a picture; see `maximise` for targets and options.
template <int cost = 0, detail::MaximiseTarget Y>
auto draw_maximised(Y target, const MaximiseOptions& options = {.cost = 0.05}) {
    std::string name = "an array";
    if constexpr (std::integral<Y>) name = sentence(target);
    return maximise<cost>(std::move(target), options, detail::DrawMaximised{std::move(name)});
}

}  // namespace sigma
