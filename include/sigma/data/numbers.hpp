// SPDX-License-Identifier: BSL-1.0
#pragma once

#include <sigma/core/any_array.hpp>

#include <cstddef>
#include <string>
#include <vector>

namespace sigma {

/// An array of floats in row-major order. The loaders fill it and datasets keep it.
struct Numbers {
    std::vector<std::size_t> shape;
    std::vector<float> values;

    std::size_t rank() const { return shape.size(); }
    std::size_t size() const { return values.size(); }
};

/// An array with the name of the input or target that it is for; the name may be empty.
struct NamedNumbers {
    std::string name;
    Numbers numbers;
    std::vector<std::string> columns{};  ///< names of the numbers of a record, where a table has them
};

/// The numbers of any array.
template <AnyArray A>
Numbers numbers_of(const A& array) {
    Numbers numbers{detail::shape_of(array), {}};
    numbers.values.reserve(array.size());
    detail::for_each_element(array, [&](const auto& x) { numbers.values.push_back(static_cast<float>(x)); });
    return numbers;
}

}  // namespace sigma
