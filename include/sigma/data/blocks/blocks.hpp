// SPDX-License-Identifier: BSL-1.0
#pragma once
#include <sigma/data/block.hpp>

#include <cstddef>
#include <string>
#include <vector>

namespace sigma::data {

/// Records in blocks of equal size, the last one shorter, of which not all need be in memory.
class Blocks {
public:
    virtual ~Blocks() = default;
    virtual const std::vector<SectionInfo>& sections() const = 0;
    /// Records in all blocks.
    virtual std::size_t records() const = 0;
    /// Records in each block but the last.
    virtual std::size_t block_records() const = 0;
    /// Reads block `number`, reusing the memory of `to`. Safe from several threads. Throws DataError.
    virtual void load(std::size_t number, Block& to) const = 0;
    /// What the records depend on: sources, options, transforms.
    virtual std::string key() const = 0;

    std::size_t count() const { return (records() + block_records() - 1) / block_records(); }
};

}  // namespace sigma::data
