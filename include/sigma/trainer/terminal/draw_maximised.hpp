// SPDX-License-Identifier: BSL-1.0
#pragma once
/// @file
/// The action draw_maximised. Include it yourself: `<sigma/trainer/terminal/draw_maximised.hpp>`, or
/// `<sigma/trainer/terminal.hpp>`.
#include <sigma/hook/network_actions.hpp>
#include <sigma/trainer/terminal/draw.hpp>

#include <algorithm>
#include <cmath>

namespace sigma {

namespace detail {

/// Draws a maximized input: "maximised 7: cost 0.0099 after 61 steps", and the picture below.
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

    /// Returns the lines of an input, with grey values from its smallest to its largest element. Several channels are
    /// averaged. A vector is drawn as a square if its length is a square, else as one row.
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

/// Returns an action that finds the input with the highest prediction for a class, and prints it as a picture.
/// @tparam cost    number of the cost, from 0
/// @param target   number of the class, or another target of `maximise`
/// @param options  options of `maximise`; default: ends at a cost of 0.05
///
/// @par Example
/// @code{.txt}
/// trainer.add(every(5, epoch).then(draw_maximised(7)).in_background());
/// @endcode
/// @see maximise
template <int cost = 0, detail::MaximiseTarget Y>
auto draw_maximised(Y target, const MaximiseOptions& options = {.cost = 0.05}) {
    std::string name = "an array";
    if constexpr (std::integral<Y>) name = sentence(target);
    return maximise<cost>(std::move(target), options, detail::DrawMaximised{std::move(name)});
}

}  // namespace sigma
