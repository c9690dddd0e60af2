// SPDX-License-Identifier: BSL-1.0
#pragma once

#include <sigma/core/xtensor.hpp>

#include <cstddef>
#include <string>
#include <vector>

namespace sigma {

/// An array in row-major order. The loaders fill it and datasets keep it: it costs a program that only reads data no
/// instantiation of xtensor.
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

/// The numbers of an xtensor container or expression.
template <class Expression>
Numbers numbers_of(const Expression& expression) {
    Numbers numbers{{expression.shape().begin(), expression.shape().end()}, {}};
    numbers.values.reserve(expression.size());
    const auto end = expression.template end<xt::layout_type::row_major>();
    for (auto at = expression.template begin<xt::layout_type::row_major>(); at != end; ++at)
        numbers.values.push_back(static_cast<float>(*at));
    return numbers;
}

}  // namespace sigma
