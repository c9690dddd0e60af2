// SPDX-License-Identifier: BSL-1.0
#pragma once
#include <sigma/core/error.hpp>
#include <sigma/data/reader/reader.hpp>

#include <memory>
#include <utility>

namespace sigma::data {

/// Several readers side by side: record r has the sections of record r of each.
class ZippedReader final : public RecordReader {
public:
    explicit ZippedReader(std::vector<std::shared_ptr<RecordReader>> readers)
        : readers_(std::move(readers)), blocks_(readers_.size()) {}

    std::string name() const override {
        std::string all;
        for (const auto& r : readers_) all += sentence(all.empty() ? "" : " + ", r->name());
        return all;
    }
    const std::vector<SectionInfo>& sections() override {
        sections_.clear();
        for (const auto& r : readers_) sections_.insert(sections_.end(), r->sections().begin(), r->sections().end());
        return sections_;
    }
    /// Throws DataError where the readers know that they differ.
    std::optional<std::size_t> size() override {
        std::optional<std::size_t> all;
        for (const auto& r : readers_) {
            const auto one = r->size();
            if (all && one && *one != *all)
                throw DataError(r->name(), "", sentence("as many records as '", readers_[0]->name(), "' has, ", *all), sentence(*one));
            if (one) all = one;
        }
        return all;
    }
    std::size_t read(std::size_t most, Block& to) override {
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
    void rewind() override {
        for (const auto& r : readers_) r->rewind();
    }
    std::string key() const override {
        std::string all = "zip(";
        for (const auto& r : readers_) all += r->key() + ";";
        return all + ")";
    }
    std::vector<std::string> classes() const override {
        for (const auto& r : readers_)
            if (auto names = r->classes(); !names.empty()) return names;
        return {};
    }

private:
    std::vector<std::shared_ptr<RecordReader>> readers_;
    std::vector<Block> blocks_;
    std::vector<SectionInfo> sections_;
};

}  // namespace sigma::data
