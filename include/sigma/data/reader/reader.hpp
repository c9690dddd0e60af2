// SPDX-License-Identifier: BSL-1.0
#pragma once
/// @file
/// `RecordReader`, the base class of all readers, for a reader of your own. Included by `<sigma/data/data.hpp>`.

#include <sigma/data/block.hpp>

#include <cstddef>
#include <optional>
#include <string>
#include <vector>

namespace sigma::data {

/// The base class of readers: turns bytes into records of named sections, a block at a time.
///
/// Use a reader from one thread. All functions but the constructor may throw DataError with the file, the byte or line,
/// the expected and the found text.
///
/// @see Pipeline, docs/sources.md
class RecordReader {
public:
    virtual ~RecordReader() = default;
    /// Returns the name of the source, for errors and data sets.
    virtual std::string name() const = 0;
    /// Returns the kinds of the readers and their sources, for people. One entry for each reader that it combines.
    virtual std::vector<Origin> origins() const { return {{"reader", name()}}; }
    /// Returns the arrays that it reads. Opens the source if the answer depends on it.
    virtual const std::vector<SectionInfo>& sections() = 0;
    /// Returns the number of records, or nothing if it must read them all to know.
    virtual std::optional<std::size_t> size() { return {}; }
    /// Replaces the contents of a block by the next records. Reuses the memory of the block.
    /// @param most  largest number of records
    /// @param to    the block to fill
    /// @return the number of records: fewer than `most` only before the end, and 0 at the end
    virtual std::size_t read(std::size_t most, Block& to) = 0;
    /// Returns to the first record.
    virtual void rewind() = 0;
    /// Returns a text that changes when the records change: keys of sources, and all options. Caches use it as a key.
    virtual std::string key() const = 0;
    /// Returns the names of classes 0, 1, … of the first target with classes. Complete when all records were read.
    virtual std::vector<std::string> classes() const { return {}; }
};

}  // namespace sigma::data
