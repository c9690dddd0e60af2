// SPDX-License-Identifier: BSL-1.0
#pragma once

#include <sigma/core/config.hpp>
#include <sigma/core/error.hpp>
#include <sigma/data/pipeline/pipeline.hpp>

#include <optional>

namespace sigma::data {

/// A reader of one array under another name.
class RenamedReader final : public RecordReader {
public:
    RenamedReader(std::shared_ptr<RecordReader> reader, std::string section, bool target)
        : reader_(std::move(reader)), section_(std::move(section)), target_(target) {}

    std::string name() const override { return reader_->name(); }
    std::vector<Origin> origins() const override { return reader_->origins(); }
    const std::vector<SectionInfo>& sections() override {
        const SectionInfo& info = reader_->sections().at(0);
        sections_ = {{section_, info.shape, target_, {}, info.doubles}};
        return sections_;
    }
    std::optional<std::size_t> size() override { return reader_->size(); }
    std::size_t read(std::size_t most, Block& to) override { return reader_->read(most, to); }
    void rewind() override { reader_->rewind(); }
    std::string key() const override { return reader_->key(); }
    std::vector<std::string> classes() const override {
        return target_ ? reader_->classes() : std::vector<std::string>();
    }

private:
    std::shared_ptr<RecordReader> reader_;
    std::string section_;
    bool target_;
    std::vector<SectionInfo> sections_;
};

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
    std::vector<Origin> origins() const override {
        std::vector<Origin> all;
        for (const auto& r : readers_)
            for (Origin& origin : r->origins()) all.push_back(std::move(origin));
        return all;
    }
    const std::vector<SectionInfo>& sections() override {
        sections_.clear();
        for (const auto& r : readers_) sections_.insert(sections_.end(), r->sections().begin(), r->sections().end());
        return sections_;
    }
    /// Returns the number of records. Throws DataError if the readers know different numbers.
    std::optional<std::size_t> size() override {
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
    std::size_t read(std::size_t most, Block& to) override {
        to.values.resize(sections().size());
        std::size_t at = 0;
        for (std::size_t i = 0; i < readers_.size(); ++i) {
            const std::size_t count = readers_[i]->read(most, blocks_[i]);
            if (i > 0 && count != to.records)
                throw DataError(readers_[i]->name(), "", sentence("as many records as '", readers_[0]->name(), "' has"),
                                count < to.records ? "fewer records" : "more records");
            to.records = count;
            for (NumberList& values : blocks_[i].values) std::swap(to.values[at++], values);
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

namespace detail {

SIGMA_IMPL std::shared_ptr<RecordReader> renamed(std::shared_ptr<RecordReader> reader, std::string section,
                                                 bool target) {
    return std::make_shared<RenamedReader>(std::move(reader), std::move(section), target);
}

SIGMA_IMPL std::shared_ptr<RecordReader> zipped(std::vector<std::shared_ptr<RecordReader>> readers) {
    return std::make_shared<ZippedReader>(std::move(readers));
}

}  // namespace detail

}  // namespace sigma::data
