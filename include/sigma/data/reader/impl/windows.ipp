// SPDX-License-Identifier: BSL-1.0
#pragma once

#include <sigma/core/config.hpp>
#include <sigma/data/reader/windows.hpp>

#include <algorithm>

namespace sigma::data::detail {

SIGMA_IMPL std::shared_ptr<RecordReader> windows_reader(const std::shared_ptr<RecordReader>& reader,
                                                        const std::vector<TransformStep>& steps,
                                                        const std::vector<WindowSection>& sections, std::size_t length,
                                                        const WindowOptions& options) {
    if (!steps.empty())
        throw ArgumentError(sentence("windows of '", reader->name(), "'"), "transforms after the windows",
                            sentence("'", steps[0].transform->text(), "' before them"));
    const bool answers = std::ranges::any_of(sections, &WindowSection::target);
    const std::size_t gap = std::min(options.gap, std::size_t{1} << 40);  // the sum is rejected and does not wrap
    std::vector<WindowPart> parts;
    for (std::size_t from = 0; from < sections.size(); ++from) {
        const auto& [name, target] = sections[from];
        if (!target) parts.push_back({std::string(name), false, from, 0, length, {}, true});
        if (target || !answers)
            parts.push_back(
                {target ? std::string(name) : "targets", true, from, length + gap, options.horizon, options.features});
    }
    return std::make_shared<SlidingReader>(reader, std::move(parts), SlidingReader::Options{.step = options.step});
}

}  // namespace sigma::data::detail

namespace sigma::data {

SIGMA_IMPL SlidingReader::SlidingReader(std::shared_ptr<RecordReader> reader, std::vector<WindowPart> parts,
                                        Options options)
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

SIGMA_IMPL const std::vector<SectionInfo>& SlidingReader::sections() {
    if (sections_.empty())
        for (const WindowPart& part : parts_) sections_.push_back(section(part));
    return sections_;
}

SIGMA_IMPL std::optional<std::size_t> SlidingReader::size() {
    const auto below = reader_->size();
    if (!below || options_.padding) return {};
    return *below < span_ ? 0 : (*below - span_) / options_.step + 1;
}

SIGMA_IMPL std::size_t SlidingReader::read(std::size_t most, Block& to) {
    to.records = 0;
    to.values.resize(sections().size());
    for (NumberList& values : to.values) values.clear();
    while (to.records < most && fill(at_ + span_)) add(to);
    if (to.records < most && !finished_) {
        finished_ = true;
        const bool more = covered_ < read_;  // some records were in no window
        const bool any = at_ < held_ && held_ - at_ > span_ - shortest();
        if (options_.padding && more && any) add(to);
    }
    if (to.records == 0 && most > 0 && covered_ == 0)
        throw DataError(name(), "",
                        sentence("at least ", options_.padding ? span_ - shortest() + 1 : span_, " ", options_.noun),
                        sentence(read_));
    return to.records;
}

SIGMA_IMPL void SlidingReader::rewind() {
    reader_->rewind();
    for (NumberList& values : held_values_) values.clear();
    at_ = held_ = 0;
    read_ = covered_ = 0;
    ended_ = finished_ = false;
}

SIGMA_IMPL std::vector<Origin> SlidingReader::origins() const {
    std::vector<Origin> all = reader_->origins();
    for (Origin& origin : all) origin.reader = sentence("windows of ", origin.reader);
    return all;
}

SIGMA_IMPL std::string SlidingReader::key() const {
    std::string all = sentence("windows(", reader_->key(), ";step ", options_.step);
    if (options_.padding) all += sentence(";padding ", *options_.padding);
    for (const WindowPart& part : parts_) {
        all += sentence(";", part.name, " ", part.target ? 1 : 0, " ", part.from, " ", part.first, " ", part.count, " ",
                        part.column ? 1 : 0);
        for (const std::size_t feature : part.features) all += sentence(",", feature);
    }
    return all + ")";
}

SIGMA_IMPL SectionInfo SlidingReader::section(const WindowPart& part) {
    const auto& below = reader_->sections().at(part.from);
    SectionInfo info{part.name, {part.count}, part.target, {}, below.doubles};
    for (const std::size_t feature : part.features)
        if (feature >= below.size())
            throw ArgumentError(sentence("windows of '", name(), "', section '", part.name, "'"),
                                sentence("features below ", below.size()), sentence(feature));
    if (!part.features.empty()) info.shape.push_back(part.features.size());
    else info.shape.insert(info.shape.end(), below.shape.begin(), below.shape.end());
    if (part.column && info.shape.size() == 1) info.shape.push_back(1);
    return info;
}

SIGMA_IMPL std::size_t SlidingReader::shortest() const {
    return std::ranges::min_element(parts_, {}, &WindowPart::count)->count;
}

SIGMA_IMPL bool SlidingReader::fill(std::size_t end) {
    const auto& below = reader_->sections();
    held_values_.resize(below.size());
    while (held_ < end && !ended_) {
        const std::size_t gone = std::min(at_, held_);
        for (std::size_t s = 0; s < below.size(); ++s) held_values_[s].erase_front(gone * below[s].size());
        at_ -= gone, held_ -= gone, end -= gone;
        const std::size_t count = reader_->read(4096, next_);
        ended_ = count == 0;
        for (std::size_t s = 0; s < below.size() && count > 0; ++s) held_values_[s].append(next_.values[s]);
        held_ += count;
        read_ += count;
    }
    return held_ >= end;
}

SIGMA_IMPL void SlidingReader::add(Block& to) {
    for (std::size_t p = 0; p < parts_.size(); ++p) add(parts_[p], to.values[p]);
    ++to.records;
    covered_ = read_ - held_ + std::min(at_ + span_, held_);
    at_ += options_.step;
}

SIGMA_IMPL void SlidingReader::add(const WindowPart& part, NumberList& to) const {
    const auto& from = held_values_[part.from];
    const std::size_t size = held_ == 0 ? 0 : from.size() / held_;
    const std::size_t first = std::min(at_ + part.first, held_), there = std::min(part.count, held_ - first);
    if (part.features.empty()) {
        to.append(from, first * size, there * size);
    } else {
        for (std::size_t r = first; r < first + there; ++r)
            for (const std::size_t feature : part.features) to.append(from, r * size + feature, 1);
    }
    const std::size_t width = part.features.empty() ? size : part.features.size();
    to.append((part.count - there) * width, options_.padding.value_or(0));
}

}  // namespace sigma::data
