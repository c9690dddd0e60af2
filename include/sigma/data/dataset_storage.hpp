// SPDX-License-Identifier: BSL-1.0
#pragma once

#include <sigma/core/shared_owner.hpp>
#include <sigma/data/block.hpp>
#include <sigma/data/blocks/active.hpp>
#include <sigma/data/byte_numbers.hpp>
#include <sigma/data/number_list.hpp>
#include <sigma/data/transform/preprocessing.hpp>

#include <cstddef>
#include <string>
#include <vector>

namespace sigma::detail {

struct DatasetSection {
    std::string name;
    std::vector<std::size_t> shape;
    std::size_t record_size;
    NumberList values;      ///< where in memory
    std::size_t index = 0;  ///< in a block
    std::vector<std::string> columns{};
    bool incomplete = false;  ///< numbers are missing; where in memory
    ByteNumbers bytes{};      ///< in place of `values`
    bool doubles = false;     ///< are the numbers double?

    /// Where in memory.
    std::size_t records() const { return (bytes.empty() ? values.size() : bytes.size()) / record_size; }
};

/// What datasets share.
struct DatasetStorage {
    std::vector<DatasetSection> inputs, targets;
    std::string name;
    std::vector<std::string> classes;
    data::Preprocessing preprocessing;
    std::string key;
    SharedOwner<data::ActiveBlocks> blocks;
    std::size_t block_records = 1;
    data::Missing missing = data::Missing::never;
};

}  // namespace sigma::detail
