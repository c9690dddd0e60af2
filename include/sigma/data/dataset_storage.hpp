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

/// Numbers with at most 256 different values, as bytes: a quarter of the memory. Pixels are such numbers, whatever
/// range they were scaled to.
class ByteNumbers {
public:
    ByteNumbers() = default;
    /// Converts numbers; empty if they have more different values. The values that are read are bit-identical.
    explicit ByteNumbers(std::span<const float> numbers);

    bool empty() const { return bytes_.empty(); }
    std::size_t size() const { return bytes_.size(); }
    /// Returns the numbers of some records, in this order.
    ByteNumbers select(std::span<const std::size_t> records, std::size_t record_size) const;
    template <class T>
    void copy(std::size_t first, std::size_t count, T* to) const;

private:
    std::vector<std::uint8_t> bytes_;
    std::array<float, 256> numbers_{};  ///< value of each byte
    float divisor_ = 0;  ///< byte b has the value b / divisor if divisor is not 0, which is quicker than a table
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
    NumberList values;      ///< numbers, if in memory
    std::size_t index = 0;  ///< number of the section in a block
    std::vector<std::string> columns{};
    bool incomplete = false;  ///< numbers are missing, if in memory
    ByteNumbers bytes{};      ///< replaces `values` if not empty
    bool doubles = false;     ///< true: the numbers are doubles

    /// Returns the number of records, if in memory.
    std::size_t records() const { return (bytes.empty() ? values.size() : bytes.size()) / record_size; }
};

/// The storage that datasets share.
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
