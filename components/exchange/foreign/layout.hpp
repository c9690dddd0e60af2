// SPDX-License-Identifier: BSL-1.0
#pragma once
#include <sigma/exchange/foreign_parameters.hpp>

#include <algorithm>
#include <cstddef>
#include <cstdint>
#include <span>
#include <string>
#include <vector>

// The names of parameters in PyTorch and Keras, and the places of their elements.
namespace sigma::detail {

/// A block of a parameter and the same numbers in a tensor of another framework.
struct Link {
    struct Axis {
        std::size_t count, own, foreign;  // strides
    };
    int parameter = 0;
    std::size_t own = 0, foreign = 0;  // the first elements
    std::vector<Axis> axes;
    bool second = false;  // reading adds it to the numbers of another tensor; writing gives 0
};
struct ForeignTensor {
    std::string name;  // "weight", within its module
    std::vector<std::uint64_t> shape;
    std::vector<Link> links;
};
/// Parameters under one name: of a layer, or of one inside it.
struct ForeignUnit {
    std::string layer;   // "1-bidirectional"
    std::string name;    // "1-bidirectional.forwards"
    std::string module;  // name of an inner module in the other framework: "self_attn"
    bool recurrent = false, backwards = false;
    std::vector<ForeignTensor> tensors;
    int parameters = 0;
};

/// Calls f(position in the parameter, position in the tensor) for all elements of two or more axes. Visits the last two
/// axes in tiles, because a transposed matrix has a large stride in one of them.
template <class F>
void each_element(std::span<const Link::Axis> axes, std::size_t own, std::size_t foreign, F& f) {
    const Link::Axis &a = axes[0], &b = axes[1];
    if (axes.size() > 2) {
        for (std::size_t i = 0; i < a.count; ++i)
            each_element(axes.subspan(1), own + i * a.own, foreign + i * a.foreign, f);
        return;
    }
    constexpr std::size_t tile = 32;
    for (std::size_t y = 0; y < a.count; y += tile)
        for (std::size_t x = 0; x < b.count; x += tile)
            for (std::size_t i = y; i < std::min(y + tile, a.count); ++i)
                for (std::size_t k = x; k < std::min(x + tile, b.count); ++k)
                    f(own + i * a.own + k * b.own, foreign + i * a.foreign + k * b.foreign);
}
template <class F>
void each_element(const Link& link, F f) {
    std::vector<Link::Axis> axes(2, Link::Axis{1, 0, 0});
    for (const Link::Axis& a : link.axes)
        if (a.count > 1) axes.push_back(a);
    each_element(std::span<const Link::Axis>(axes).subspan(std::min<std::size_t>(axes.size() - 2, 2)), link.own,
                 link.foreign, f);
}

}  // namespace sigma::detail
