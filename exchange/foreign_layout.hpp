// SPDX-License-Identifier: BSL-1.0
#pragma once
#include <sigma/exchange/foreign_parameters.hpp>

#include <cstddef>
#include <cstdint>
#include <string>
#include <vector>

/// What PyTorch and Keras call the parameters of a layer, and where each of their elements stands.
namespace sigma::detail {

/// A block of a parameter and the same numbers in a tensor of another framework.
struct Link {
    struct Axis {
        std::size_t count, own, foreign;  // strides
    };
    int parameter = 0;
    std::size_t own = 0, foreign = 0;  // the first elements
    std::vector<Axis> axes;
    bool second = false;  // added to what another tensor gives when it is read, 0 when it is written
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
    std::string module;  // what the other framework calls what is inside: "self_attn"
    bool recurrent = false, backwards = false;
    std::vector<ForeignTensor> tensors;
    int parameters = 0;
};

/// f(position in the parameter, position in the tensor) of each element.
template <class F>
void each_element(const Link& link, F f, std::size_t axis = 0, std::size_t own = 0, std::size_t foreign = 0) {
    if (axis == link.axes.size()) return f(link.own + own, link.foreign + foreign);
    const Link::Axis& a = link.axes[axis];
    for (std::size_t i = 0; i < a.count; ++i) each_element(link, f, axis + 1, own + i * a.own, foreign + i * a.foreign);
}

}  // namespace sigma::detail
