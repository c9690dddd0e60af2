// SPDX-License-Identifier: BSL-1.0
#pragma once
/// @file
/// Blocks of records in memory and the sections in them. Included by `<sigma/sigma.hpp>`.

#include <sigma/core/error.hpp>
#include <sigma/data/number_list.hpp>

#include <cstddef>
#include <string>
#include <vector>

namespace sigma::data {

/// One named array of a data set: its extents and its role.
///
/// @see Dataset::sections
struct SectionInfo {
    std::string name;                    ///< name, such as "inputs"
    std::vector<std::size_t> shape;      ///< extents of one record; empty for one number, such as a label
    bool target = false;                 ///< true: a target; false: an input
    std::vector<std::string> columns{};  ///< names of the numbers of a record, from a table; may be empty
    bool doubles = false;                ///< true: its numbers are doubles; false: floats

    /// Returns the count of numbers in one record, or SIZE_MAX if it is too large to count.
    std::size_t size() const;
    /// Returns the bytes of one record in memory.
    std::size_t bytes() const;
    /// Returns the name of one number in errors: "column 'age'", "feature 4", "target 0".
    /// @param number  position in the record, row-major
    std::string called(std::size_t number) const;
    /// Compares names, extents and roles. Ignores names of columns and the type of numbers.
    /// @param left  one section
    /// @param right  the other one
    friend bool operator==(const SectionInfo& left, const SectionInfo& right) {
        return left.name == right.name && left.shape == right.shape && left.target == right.target;
    }
};

/// The treatment of missing numbers (NaN) in the inputs of a dataset.
///
/// @see DatasetOptions::missing, impute
enum class Missing {
    never,    ///< rejected
    refused,  ///< rejected; the option `.missing = true` would hold them
    held      ///< kept, until a transform such as `impute` replaces them
};

/// Some records in memory. A missing number is NaN.
///
/// @see RecordReader::read
struct Block {
    std::size_t records = 0;         ///< number of records
    std::vector<NumberList> values;  ///< numbers of each section: records · size(), row-major
};

/// A kind of reader and its source: {"idx", "data/train-images-idx3-ubyte.gz"}.
///
/// @see Dataset::origins
struct Origin {
    std::string reader;  ///< kind of the reader
    std::string source;  ///< path or address
    /// Compares both texts.
    friend bool operator==(const Origin&, const Origin&) = default;
};

}  // namespace sigma::data

#ifndef SIGMA_COMPILED
#include <sigma/data/impl/block.ipp>
#endif
