// SPDX-License-Identifier: BSL-1.0
#pragma once

#include <sigma/core/config.hpp>
#include <sigma/data/reader/arrays.hpp>
#include <sigma/storage/hash.hpp>

#include <algorithm>
#include <optional>

namespace sigma::data {

/// Reads records from numbers of a program.
class ArrayReader final : public RecordReader {
public:
    ArrayReader(NumberList values, std::vector<std::size_t> record, std::string name)
        : values_(std::move(values)), sections_{{"", std::move(record), false, {}, values_.of_double()}},
          name_(std::move(name)) {
        const std::size_t width = sections_[0].size();
        if (width == 0 || values_.empty() || values_.size() % width != 0)
            throw ShapeError(name_,
                             sentence("records of ", sigma::detail::shape_text(sections_[0].shape), ", one at least"),
                             sentence(values_.size(), values_.size() == 1 ? " number" : " numbers"));
    }

    std::string name() const override { return name_; }
    std::vector<Origin> origins() const override { return {{"arrays", name_}}; }
    const std::vector<SectionInfo>& sections() override { return sections_; }
    std::optional<std::size_t> size() override { return values_.size() / sections_[0].size(); }
    std::size_t read(std::size_t most, Block& to) override {
        const std::size_t width = sections_[0].size();
        to.records = std::min(most, values_.size() / width - at_);
        to.values.resize(1);
        to.values[0].clear();
        to.values[0].append(values_, at_ * width, to.records * width);
        at_ += to.records;
        return to.records;
    }
    void rewind() override { at_ = 0; }
    std::string key() const override {
        return sentence("array(", sigma::detail::shape_text(sections_[0].shape), ",",
                        storage::fingerprint(values_.bytes()), ")");
    }

private:
    NumberList values_;
    std::vector<SectionInfo> sections_;
    std::string name_;
    std::size_t at_ = 0;
};

namespace detail {

SIGMA_IMPL std::shared_ptr<RecordReader> array_reader(NumberList values, std::vector<std::size_t> record,
                                                      std::string name) {
    return std::make_shared<ArrayReader>(std::move(values), std::move(record), std::move(name));
}

}  // namespace detail

}  // namespace sigma::data
