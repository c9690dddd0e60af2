// SPDX-License-Identifier: BSL-1.0
#pragma once

#include <sigma/core/error.hpp>
#include <sigma/data/reader/reader.hpp>

#include <algorithm>
#include <cstddef>
#include <cstdint>
#include <memory>
#include <optional>
#include <string>
#include <utility>
#include <vector>

namespace sigma::data {

/// One section of a sliding window: of section `from` of the reader below, records first … first + count - 1 of the window.
/// Its shape is (count, extents of a record).
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
    SlidingReader(std::shared_ptr<RecordReader> reader, std::vector<WindowPart> parts, Options options)
        : reader_(std::move(reader)), parts_(std::move(parts)), options_(options) {
        for (const WindowPart& part : parts_) {
            if (part.count == 0 || part.count > longest || part.first > longest)
                throw ArgumentError(sentence("windows of '", reader_->name(), "'"),
                                    sentence("lengths and distances of at most ", longest, ", lengths above 0"),
                                    sentence(part.count, " from ", part.first));
            span_ = std::max(span_, part.first + part.count);
        }
        if (options_.step == 0 || options_.step > longest)
            throw ArgumentError(sentence("windows of '", reader_->name(), "'"), sentence("a step from 1 to ", longest),
                                sentence(options_.step));
    }

    std::string name() const override { return reader_->name(); }
    const std::vector<SectionInfo>& sections() override {
        if (sections_.empty())
            for (const WindowPart& part : parts_) sections_.push_back(section(part));
        return sections_;
    }
    std::optional<std::size_t> size() override {
        const auto below = reader_->size();
        if (!below || options_.padding) return {};
        return *below < span_ ? 0 : (*below - span_) / options_.step + 1;
    }
    /// Throws DataError where there is not one window.
    std::size_t read(std::size_t most, Block& to) override {
        to.records = 0;
        to.values.resize(sections().size());
        for (auto& values : to.values) values.clear();
        while (to.records < most && fill(at_ + span_)) add(to);
        if (to.records < most && !finished_) {
            finished_ = true;
            const bool more = covered_ < read_;  // there are records that no window has had
            const bool any = at_ < held_ && held_ - at_ > span_ - shortest();
            if (options_.padding && more && any) add(to);
        }
        if (to.records == 0 && most > 0 && covered_ == 0)
            throw DataError(name(), "", sentence("at least ", options_.padding ? span_ - shortest() + 1 : span_, " ",
                                                 options_.noun), sentence(read_));
        return to.records;
    }
    void rewind() override {
        reader_->rewind();
        for (auto& values : held_values_) values.clear();
        at_ = held_ = 0;
        read_ = covered_ = 0;
        ended_ = finished_ = false;
    }
    std::string key() const override {
        std::string all = sentence("windows(", reader_->key(), ";step ", options_.step);
        if (options_.padding) all += sentence(";padding ", *options_.padding);
        for (const WindowPart& part : parts_) {
            all += sentence(";", part.name, " ", part.target ? 1 : 0, " ", part.from, " ", part.first, " ", part.count, " ",
                            part.column ? 1 : 0);
            for (const std::size_t feature : part.features) all += sentence(",", feature);
        }
        return all + ")";
    }

private:
    static constexpr std::size_t longest = std::size_t{1} << 32;

    SectionInfo section(const WindowPart& part) {
        const auto& below = reader_->sections().at(part.from);
        SectionInfo info{part.name, {part.count}, part.target};
        for (const std::size_t feature : part.features)
            if (feature >= below.size())
                throw ArgumentError(sentence("windows of '", name(), "', section '", part.name, "'"),
                                    sentence("features below ", below.size()), sentence(feature));
        if (!part.features.empty()) info.shape.push_back(part.features.size());
        else info.shape.insert(info.shape.end(), below.shape.begin(), below.shape.end());
        if (part.column && info.shape.size() == 1) info.shape.push_back(1);
        return info;
    }
    std::size_t shortest() const {
        return std::ranges::min_element(parts_, {}, &WindowPart::count)->count;
    }

    /// Reads on until `end` records are held, or as many as there are.
    bool fill(std::size_t end) {
        const auto& below = reader_->sections();
        held_values_.resize(below.size());
        while (held_ < end && !ended_) {
            const std::size_t gone = std::min(at_, held_);
            for (std::size_t s = 0; s < below.size(); ++s)
                held_values_[s].erase(held_values_[s].begin(),
                                      held_values_[s].begin() + static_cast<std::ptrdiff_t>(gone * below[s].size()));
            at_ -= gone, held_ -= gone, end -= gone;
            const std::size_t count = reader_->read(4096, next_);
            ended_ = count == 0;
            for (std::size_t s = 0; s < below.size() && count > 0; ++s)
                held_values_[s].insert(held_values_[s].end(), next_.values[s].begin(), next_.values[s].end());
            held_ += count;
            read_ += count;
        }
        return held_ >= end;
    }

    /// The window at hand, then the next one.
    void add(Block& to) {
        for (std::size_t p = 0; p < parts_.size(); ++p) add(parts_[p], to.values[p]);
        ++to.records;
        covered_ = read_ - held_ + std::min(at_ + span_, held_);
        at_ += options_.step;
    }
    void add(const WindowPart& part, std::vector<float>& to) const {
        const auto& from = held_values_[part.from];
        const std::size_t size = held_ == 0 ? 0 : from.size() / held_;
        const std::size_t first = std::min(at_ + part.first, held_), there = std::min(part.count, held_ - first);
        const auto begin = from.begin() + static_cast<std::ptrdiff_t>(first * size);
        if (part.features.empty()) {
            to.insert(to.end(), begin, begin + static_cast<std::ptrdiff_t>(there * size));
        } else {
            for (std::size_t r = 0; r < there; ++r)
                for (const std::size_t feature : part.features) to.push_back(begin[static_cast<std::ptrdiff_t>(r * size + feature)]);
        }
        const std::size_t width = part.features.empty() ? size : part.features.size();
        to.insert(to.end(), (part.count - there) * width, options_.padding.value_or(0));
    }

    std::shared_ptr<RecordReader> reader_;
    std::vector<WindowPart> parts_;
    Options options_;
    std::vector<SectionInfo> sections_;
    std::size_t span_ = 0;
    Block next_;
    std::vector<std::vector<float>> held_values_;  // by section of the reader below, `held_` records
    std::size_t at_ = 0, held_ = 0;                // the next window begins at held record at_, which may not be read yet
    std::uint64_t read_ = 0, covered_ = 0;         // records read in all; those up to the end of the last window
    bool ended_ = false, finished_ = false;
};

}  // namespace sigma::data
