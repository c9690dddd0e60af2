// SPDX-License-Identifier: BSL-1.0
#pragma once
#include <sigma/data/block.hpp>

#include <cstddef>
#include <optional>
#include <string>
#include <vector>

namespace sigma::data {

/// Turns bytes into records of named sections, a block after the other. To be used by one thread. Everything but the
/// constructor may throw DataError with the file, the byte or line, what was expected and what was found.
class RecordReader {
public:
    virtual ~RecordReader() = default;
    /// What errors and data sets call it.
    virtual std::string name() const = 0;
    /// For people: the kinds of reader, and what they read from; several where records of several stand side by side.
    virtual std::vector<Origin> origins() const { return {{"reader", name()}}; }
    /// The arrays it reads; opens what it reads from where the answer lies there.
    virtual const std::vector<SectionInfo>& sections() = 0;
    /// How many records there are, where that is known without reading them all.
    virtual std::optional<std::size_t> size() { return {}; }
    /// Replaces what `to` holds by the next `most` records, by fewer where the end comes before: 0 at the end. Reuses
    /// the memory of `to`.
    virtual std::size_t read(std::size_t most, Block& to) = 0;
    /// Starts again with the first record.
    virtual void rewind() = 0;
    /// A text that is another one when records are: keys of sources and all options. Part of the keys of caches.
    virtual std::string key() const = 0;
    /// Names of classes 0, 1, …, where targets are classes with names. Complete when all records have been read.
    virtual std::vector<std::string> classes() const { return {}; }
};

}  // namespace sigma::data
