// SPDX-License-Identifier: BSL-1.0
// What datasets share.
// Before the guard: without the library, its body includes this header.
#include <sigma/data/dataset.hpp>
#ifndef SIGMA_DATA_DATASET_STORAGE
#define SIGMA_DATA_DATASET_STORAGE

#include <sigma/data/blocks/active.hpp>

namespace sigma {

struct Dataset::Section {
    std::string name;
    std::vector<std::size_t> shape;
    std::size_t record_size;
    std::vector<float> values;  ///< where in memory
    std::size_t index = 0;      ///< in a block
    std::vector<std::string> columns{};
    bool incomplete = false;  ///< numbers are missing; where in memory
};

struct Dataset::Storage {
    std::vector<Section> inputs, targets;
    std::string name;
    std::vector<std::string> classes;
    data::Preprocessing preprocessing;
    std::string key;
    detail::SharedOwner<data::ActiveBlocks> blocks;
    std::size_t block_records = 1;
    data::Missing missing = data::Missing::never;
};

}  // namespace sigma

#endif
