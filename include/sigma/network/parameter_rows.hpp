// SPDX-License-Identifier: BSL-1.0
#pragma once
#include <sigma/network/model.hpp>

namespace sigma {

/// The elements of a parameter without the padding between its rows, (rows, columns): a parameter of more than two axes
/// has all but its last in the rows. `rows[y][x]` is an element.
template <class T>
struct ParameterRows {
    T* data;
    Shape shape;
    std::size_t count, columns, stride;

    std::span<T> operator[](std::size_t row) const { return {data + row * stride, columns}; }
};

template <class N, class T>
ParameterRows<T> parameter_rows(Model<N, T>& model, int parameter) {
    const Shape& shape = Model<N, T>::records.parameters[parameter].shape;
    const auto columns = static_cast<std::size_t>(shape.last());
    return {model.parameter_data(parameter), shape, static_cast<std::size_t>(shape.count()) / columns, columns,
            static_cast<std::size_t>(Model<N, T>::row(parameter))};
}

}  // namespace sigma
