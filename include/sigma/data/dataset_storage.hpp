// SPDX-License-Identifier: BSL-1.0
#pragma once

#include <sigma/core/owners.hpp>
#include <sigma/data/block.hpp>
#include <sigma/data/blocks/active.hpp>
#include <sigma/data/number_list.hpp>
#include <sigma/data/transform/preprocessing.hpp>

#include <array>
#include <cstddef>
#include <cstdint>
#include <span>
#include <string>
#include <vector>

namespace sigma::detail {

/// Numbers of which at most 256 are different, as bytes: a quarter of the memory. Pixels are such, whatever they were
/// scaled to.
class ByteNumbers {
public:
    ByteNumbers() = default;
    /// The same numbers, to the bit; empty where more of them are different.
    explicit ByteNumbers(std::span<const float> numbers);

    bool empty() const { return bytes_.empty(); }
    std::size_t size() const { return bytes_.size(); }
    /// Those of some records, in this order.
    ByteNumbers select(std::span<const std::size_t> records, std::size_t record_size) const;
    template <class T>
    void copy(std::size_t first, std::size_t count, T* to) const;

private:
    std::vector<std::uint8_t> bytes_;
    std::array<float, 256> numbers_{};  ///< what each byte stands for
    float divisor_ = 0;  ///< byte b stands for b / divisor, where not 0: this is quicker than to look it up
};

}  // namespace sigma::detail

#ifndef SIGMA_COMPILED
#include <sigma/data/impl/byte_numbers.ipp>
#endif

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
