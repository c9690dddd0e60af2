// SPDX-License-Identifier: BSL-1.0
#pragma once
/// @file
/// Parameters as rows, without a dense copy: ParameterRows, parameter_rows, window. Included by `<sigma/sigma.hpp>`.
#include <sigma/core/array.hpp>
#include <sigma/network/model_store.hpp>

#include <type_traits>
#include <vector>

namespace sigma {

/// The elements of a parameter as a matrix: `rows[y][x]` is an element.
///
/// The last axis of the parameter makes the columns. All other axes together make the rows.
///
/// @see parameter_rows
template <class T>
struct ParameterRows {
    T* data;              ///< The first element.
    Shape shape;          ///< Shape of the parameter.
    std::size_t count;    ///< Number of rows.
    std::size_t columns;  ///< Number of columns: the extent of the last axis.
    std::size_t stride;   ///< Elements from one row to the next; more than `columns` if rows are padded.

    /// Returns a row.
    /// @param row  number of the row, from 0
    std::span<T> operator[](std::size_t row) const { return {data + row * stride, columns}; }
};

/// Returns a view of a tensor in memory with padded rows.
/// @param data     the first element. The view is valid as long as this memory.
/// @param shape    shape of the tensor; its axis of records has the extent `records`
/// @param row      number of elements from one row to the next
/// @param records  number of records. Default: 1.
/// @return a view of (records, …)
/// @see Model::parameter
template <class T>
ArrayView<T> window(T* data, const Shape& shape, int row, std::ptrdiff_t records = 1) {
    return {data, detail::array_extents(shape, records), static_cast<std::size_t>(row)};
}

namespace detail {

/// Returns a view of a parameter.
template <class T>
ArrayView<T> window_of(detail::ModelStore<T>& model, int parameter) {
    return window(model.parameter_data(parameter), model.network().parameters[parameter].shape, model.pitch(parameter));
}

/// Returns the rows of a tensor of this shape, with `stride` elements from one row to the next.
template <class T>
ParameterRows<T> rows_of(T* data, const Shape& shape, int stride) {
    const auto columns = static_cast<std::size_t>(shape.last());
    return {data, shape, static_cast<std::size_t>(shape.count()) / columns, columns, static_cast<std::size_t>(stride)};
}

}  // namespace detail

/// Returns the rows of a parameter of a model.
/// @param model      the model
/// @param parameter  position of the parameter, from 0
/// @return rows for reading and writing, valid as long as the model
///
/// @par Example
/// @code
/// ParameterRows<float> rows = parameter_rows(model, 0);
/// rows[0][0] = 1;
/// @endcode
template <class T>
ParameterRows<T> parameter_rows(detail::ModelStore<T>& model, int parameter) {
    return detail::rows_of(model.parameter_data(parameter), model.network().parameters[parameter].shape,
                           model.pitch(parameter));
}
/// Returns the rows of a parameter of a constant model.
/// @param model      the model
/// @param parameter  position of the parameter, from 0
/// @return rows for reading, valid as long as the model
/// @see ParameterRows
template <class T>
ParameterRows<const T> parameter_rows(const detail::ModelStore<T>& model, int parameter) {
    return detail::rows_of(model.parameter_data(parameter), model.network().parameters[parameter].shape,
                           model.pitch(parameter));
}

namespace detail {

/// Returns the elements without padding.
template <class T>
auto dense_elements(const ParameterRows<T>& rows) {
    std::vector<std::remove_const_t<T>> all;
    all.reserve(rows.count * rows.columns);
    for (std::size_t r = 0; r < rows.count; ++r) all.insert(all.end(), rows[r].begin(), rows[r].end());
    return all;
}
/// Writes dense elements to the rows.
template <class T>
void write_elements(const std::vector<T>& values, const ParameterRows<T>& rows) {
    for (std::size_t r = 0; r < rows.count; ++r)
        for (std::size_t i = 0; i < rows.columns; ++i) rows[r][i] = values[r * rows.columns + i];
}

}  // namespace detail
}  // namespace sigma
