// SPDX-License-Identifier: BSL-1.0
#pragma once

#include <sigma/core/config.hpp>
#include <sigma/data/reader/zipped.hpp>

#include <utility>

namespace sigma::data {

SIGMA_IMPL ZippedReader::ZippedReader(std::vector<std::shared_ptr<RecordReader>> readers)
    : readers_(std::move(readers)), blocks_(readers_.size()) {}

SIGMA_IMPL std::string ZippedReader::name() const {
    std::string all;
    for (const auto& r : readers_) all += sentence(all.empty() ? "" : " + ", r->name());
    return all;
}

SIGMA_IMPL const std::vector<SectionInfo>& ZippedReader::sections() {
    sections_.clear();
    for (const auto& r : readers_) sections_.insert(sections_.end(), r->sections().begin(), r->sections().end());
    return sections_;
}

SIGMA_IMPL std::optional<std::size_t> ZippedReader::size() {
    std::optional<std::size_t> all;
    for (const auto& r : readers_) {
        const auto one = r->size();
        if (all && one && *one != *all)
            throw DataError(r->name(), "", sentence("as many records as '", readers_[0]->name(), "' has, ", *all),
                            sentence(*one));
        if (one) all = one;
    }
    return all;
}

SIGMA_IMPL std::size_t ZippedReader::read(std::size_t most, Block& to) {
    to.values.resize(sections().size());
    std::size_t at = 0;
    for (std::size_t i = 0; i < readers_.size(); ++i) {
        const std::size_t count = readers_[i]->read(most, blocks_[i]);
        if (i > 0 && count != to.records)
            throw DataError(readers_[i]->name(), "", sentence("as many records as '", readers_[0]->name(), "' has"),
                            count < to.records ? "fewer" : "more");
        to.records = count;
        for (auto& values : blocks_[i].values) to.values[at++].swap(values);
    }
    return to.records;
}

SIGMA_IMPL void ZippedReader::rewind() {
    for (const auto& r : readers_) r->rewind();
}

SIGMA_IMPL std::string ZippedReader::key() const {
    std::string all = "zip(";
    for (const auto& r : readers_) all += r->key() + ";";
    return all + ")";
}

SIGMA_IMPL std::vector<std::string> ZippedReader::classes() const {
    for (const auto& r : readers_)
        if (auto names = r->classes(); !names.empty()) return names;
    return {};
}

}  // namespace sigma::data
