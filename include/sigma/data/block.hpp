// SPDX-License-Identifier: BSL-1.0
#pragma once
#include <cstddef>
#include <functional>
#include <numeric>
#include <string>
#include <vector>

namespace sigma::data {

/// One named array of a data set, with the extents of one record; () for one number, a label for instance.
struct SectionInfo {
    std::string name;
    std::vector<std::size_t> shape;
    bool target = false;  ///< what a network shall answer, else what it is given

    /// Numbers in one record.
    std::size_t size() const { return std::accumulate(shape.begin(), shape.end(), std::size_t{1}, std::multiplies<>()); }
    friend bool operator==(const SectionInfo&, const SectionInfo&) = default;
};

/// Some records in memory: values[s] holds section s, records · size() numbers in row-major order. A missing number is NaN.
struct Block {
    std::size_t records = 0;
    std::vector<std::vector<float>> values;
};

}  // namespace sigma::data
