// SPDX-License-Identifier: BSL-1.0
#pragma once

#include <sigma/core/error.hpp>
#include <sigma/data/reader/reader.hpp>

#include <cstddef>
#include <cstdint>
#include <memory>
#include <optional>
#include <string>
#include <vector>

namespace sigma::data {

/// One section of a sliding window: of section `from` of the reader below, records first … first + count - 1 of the
/// window. Its shape is (count, extents of a record).
struct WindowPart {
    std::string name;
    bool target = false;
    std::size_t from = 0;
    std::size_t first = 0;
    std::size_t count = 1;
    /// Which numbers of a record, row-major; all where none is given. Their shape is then (count, how many there are).
    std::vector<std::size_t> features{};
    /// Where a record is a single number: (count, 1) instead of (count).
    bool column = false;
};

/// Records that are windows over the records of another reader, `step` of them apart. Holds one window and one block.
class SlidingReader final : public RecordReader {
public:
    struct Options {
        std::size_t step = 1;
        /// What takes the place of what is missing in a last, incomplete record; without it there is no such record.
        std::optional<float> padding{};
        const char* noun = "records";
    };

    /// Throws ArgumentError for a window or a step of nothing.
    SlidingReader(std::shared_ptr<RecordReader> reader, std::vector<WindowPart> parts, Options options);

    std::string name() const override { return reader_->name(); }
    std::vector<Origin> origins() const override;
    const std::vector<SectionInfo>& sections() override;
    std::optional<std::size_t> size() override;
    /// Throws DataError where there is not one window.
    std::size_t read(std::size_t most, Block& to) override;
    void rewind() override;
    std::string key() const override;

private:
    static constexpr std::size_t longest = std::size_t{1} << 32;

    SectionInfo section(const WindowPart& part);
    std::size_t shortest() const;

    /// Reads on until `end` records are held, or as many as there are.
    bool fill(std::size_t end);

    /// The window at hand, then the next one.
    void add(Block& to);
    void add(const WindowPart& part, NumberList& to) const;

    std::shared_ptr<RecordReader> reader_;
    std::vector<WindowPart> parts_;
    Options options_;
    std::vector<SectionInfo> sections_;
    std::size_t span_ = 0;
    Block next_;
    std::vector<NumberList> held_values_;   // by section of the reader below, `held_` records
    std::size_t at_ = 0, held_ = 0;         // the next window begins at held record at_, which may not be read yet
    std::uint64_t read_ = 0, covered_ = 0;  // records read in all; those up to the end of the last window
    bool ended_ = false, finished_ = false;
};

}  // namespace sigma::data

#ifndef SIGMA_COMPILED
#include <sigma/data/reader/impl/sliding.ipp>
#endif
