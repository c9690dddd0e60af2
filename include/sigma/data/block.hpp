// SPDX-License-Identifier: BSL-1.0
#pragma once

#include <sigma/core/error.hpp>
#include <sigma/data/number_list.hpp>

#include <cstddef>
#include <string>
#include <vector>

namespace sigma::data {

/// One named array of a data set, with the extents of one record; () for one number, a label for instance.
struct SectionInfo {
    std::string name;
    std::vector<std::size_t> shape;
    bool target = false;                 ///< what a network shall answer, else what it is given
    std::vector<std::string> columns{};  ///< what a table calls the numbers of a record; empty where it does not
    bool doubles = false;                ///< are its numbers double?

    /// Numbers in one record; SIZE_MAX where they cannot be counted.
    std::size_t size() const;
    /// Of one record in memory.
    std::size_t bytes() const;
    /// What errors call one of these numbers: "column 'age'", "feature 4", "target 0".
    std::string called(std::size_t number) const;
    /// Names of columns and the type of numbers do not count.
    friend bool operator==(const SectionInfo& a, const SectionInfo& b) {
        return a.name == b.name && a.shape == b.shape && a.target == b.target;
    }
};

/// What becomes of missing numbers, NaN, in the inputs of a dataset: refused for good; refused where `.missing = true`
/// would hold them; held.
enum class Missing { never, refused, held };

/// Some records in memory: values[s] holds section s, records · size() numbers in row-major order, of double where
/// SectionInfo::doubles says so. A missing number is NaN.
struct Block {
    std::size_t records = 0;
    std::vector<NumberList> values;
};

/// What read records, and from where: {"idx", "data/train-images-idx3-ubyte.gz"}.
struct Origin {
    std::string reader, source;
    friend bool operator==(const Origin&, const Origin&) = default;
};

}  // namespace sigma::data

#ifndef SIGMA_COMPILED
#include <sigma/data/impl/block.ipp>
#endif
