// SPDX-License-Identifier: BSL-1.0
#pragma once
#include <sigma/core/array.hpp>
#include <sigma/network/model_store.hpp>

#include <type_traits>
#include <vector>

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

/// A writable window on a tensor that lives in a model, with `row` elements from one row to the next. Valid as long as
/// the model.
template <class T>
ArrayView<T> window(T* data, const Shape& shape, int row, std::ptrdiff_t records = 1) {
    return {data, detail::array_extents(shape, records), static_cast<std::size_t>(row)};
}

namespace detail {

/// On a parameter.
template <class T>
ArrayView<T> window_of(detail::ModelStore<T>& model, int parameter) {
    return window(model.parameter_data(parameter), model.network().parameters[parameter].shape, model.pitch(parameter));
}

/// A tensor of that shape whose rows are `stride` elements apart.
template <class T>
ParameterRows<T> rows_of(T* data, const Shape& shape, int stride) {
    const auto columns = static_cast<std::size_t>(shape.last());
    return {data, shape, static_cast<std::size_t>(shape.count()) / columns, columns, static_cast<std::size_t>(stride)};
}

}  // namespace detail

template <class T>
ParameterRows<T> parameter_rows(detail::ModelStore<T>& model, int parameter) {
    return detail::rows_of(model.parameter_data(parameter), model.network().parameters[parameter].shape,
                           model.pitch(parameter));
}
template <class T>
ParameterRows<const T> parameter_rows(const detail::ModelStore<T>& model, int parameter) {
    return detail::rows_of(model.parameter_data(parameter), model.network().parameters[parameter].shape,
                           model.pitch(parameter));
}

namespace detail {

/// The elements without padding, and back.
template <class T>
auto dense_elements(const ParameterRows<T>& rows) {
    std::vector<std::remove_const_t<T>> all;
    all.reserve(rows.count * rows.columns);
    for (std::size_t r = 0; r < rows.count; ++r) all.insert(all.end(), rows[r].begin(), rows[r].end());
    return all;
}
template <class T>
void write_elements(const std::vector<T>& values, const ParameterRows<T>& rows) {
    for (std::size_t r = 0; r < rows.count; ++r)
        for (std::size_t i = 0; i < rows.columns; ++i) rows[r][i] = values[r * rows.columns + i];
}

}  // namespace detail
}  // namespace sigma
